/** What the charts show of one limiter: its levels on a grid of instants, its answers by stretches of
 * time. No more is kept than fits on a chart. */

/** How many instants, and how many stretches, a chart has. */
export const SAMPLES = 400;
export const BINS = 60;

/** What was answered in a stretch of time. */
export interface Bin {
  /** Where it begins, in milliseconds since the beginning. */
  readonly at: number;
  granted: number;
  refused: number;
  /** The longest wait that a refusal told of, in milliseconds; infinite for never. */
  wait: number;
  /** Whether one was told that no wait helps. */
  never: boolean;
}

export class History {
  /** The instants of the levels. */
  readonly times: number[] = [];
  /** The levels at these, by limit. */
  readonly levels: number[][];
  readonly bins: Bin[] = [];
  /** The time between two instants, and the length of a stretch. */
  readonly grid: number;
  readonly binLength: number;
  /** The instant after the last one. */
  #nextSample = 0;
  #samples = 0;

  /** For a chart of so many milliseconds, of so many limits. */
  constructor(view: number, limits: number) {
    this.grid = view / SAMPLES;
    this.binLength = view / BINS;
    this.levels = Array.from({ length: limits }, () => []);
  }

  /** The next instant whose levels are wanted. */
  get nextSample(): number {
    return this.#nextSample;
  }

  /** Takes note of the levels at {@link nextSample}. */
  sample(levels: readonly number[]): void {
    this.times.push(this.#nextSample);
    levels.forEach((level, index) => this.levels[index]!.push(level));
    this.#samples += 1;
    this.#nextSample = this.#samples * this.grid;
    if (this.times.length > 2 * SAMPLES) {
      const old = this.times.length - SAMPLES - 2;
      this.times.splice(0, old);
      for (const level of this.levels) level.splice(0, old);
    }
  }

  /** Puts the levels right that were taken at an instant at which requests came afterwards. */
  correct(at: number, levels: readonly number[]): void {
    if (this.times.at(-1) !== at) return;
    levels.forEach((level, index) => this.levels[index]!.splice(-1, 1, level));
  }

  /** Takes note of an answer. */
  answer(at: number, granted: boolean, waitMs: number): void {
    const index = Math.floor(at / this.binLength);
    let bin = this.bins.at(-1);
    if (bin === undefined || bin.at !== index * this.binLength) {
      bin = { at: index * this.binLength, granted: 0, refused: 0, wait: 0, never: false };
      this.bins.push(bin);
      if (this.bins.length > BINS + 2) this.bins.shift();
    }
    if (granted) {
      bin.granted += 1;
    } else {
      bin.refused += 1;
      if (waitMs === Infinity) bin.never = true;
      else bin.wait = Math.max(bin.wait, waitMs);
    }
  }
}
