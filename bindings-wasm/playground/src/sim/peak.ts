/** The most that was granted within any stretch of time of one length. */
export class Peak {
  /** What was granted, and when, within the last stretch. */
  readonly #recent: { at: number; amount: number }[] = [];
  #sum = 0;
  #most = 0;

  /** Stretches of `length` milliseconds: what lies just that far apart is not within one. */
  constructor(readonly length: number) {}

  /** The most so far. */
  get most(): number {
    return this.#most;
  }

  /** Takes note of a grant; they come in the order of time. */
  add(at: number, amount: number): void {
    this.#recent.push({ at, amount });
    this.#sum += amount;
    let old = 0;
    while (this.#recent[old]!.at <= at - this.length) {
      this.#sum -= this.#recent[old]!.amount;
      old += 1;
    }
    if (old > 0) this.#recent.splice(0, old);
    this.#most = Math.max(this.#most, this.#sum);
  }
}
