/** Something that is to be over by an instant. */
export interface Awaited {
  readonly until: number;
  readonly late: () => void;
}

/**
 * Calls those whose time is over, by one timer for all: setting one for each request would cost about as
 * much as the request.
 */
export class Deadlines {
  readonly #awaited = new Set<Awaited>();
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Infinity;

  /** Calls `late` after a number of milliseconds, unless it is given to {@link met} before. */
  add(millis: number, late: () => void): Awaited {
    const awaited = { until: performance.now() + millis, late };
    if (this.#awaited.size === 0) this.#timer?.ref();
    this.#awaited.add(awaited);
    if (awaited.until < this.#armedFor) this.#arm(awaited.until);
    return awaited;
  }

  met(awaited: Awaited): void {
    // The timer stays, for the next, and then keeps no process alive.
    if (this.#awaited.delete(awaited) && this.#awaited.size === 0) this.#timer?.unref();
  }

  #arm(until: number): void {
    clearTimeout(this.#timer);
    this.#armedFor = until;
    this.#timer = setTimeout(() => this.#fire(), Math.max(until - performance.now(), 1));
  }

  #fire(): void {
    this.#timer = undefined;
    this.#armedFor = Infinity;
    // An answer that has arrived while this process was busy is still in time: timers come before input,
    // so input is let through once.
    setImmediate(() => {
      const now = performance.now();
      for (const awaited of this.#awaited) {
        if (awaited.until <= now) {
          this.met(awaited);
          awaited.late();
        } else if (awaited.until < this.#armedFor) {
          this.#arm(awaited.until);
        }
      }
    });
  }
}
