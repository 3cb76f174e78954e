import type { Kind, Time } from "./time.js";

/**
 * Where a limiter takes `now` from when it is not given.
 *
 * Readings count from an origin that stays the same, in milliseconds, or in nanoseconds for a clock
 * of bigints; then all that a bucket or a cycle answers is a bigint as well. A reading earlier than
 * the one before refills nothing, loses nothing and grants nothing extra.
 */
export interface Clock<T extends Time = Time> {
  /** The instant now. */
  now(): T;
  /** Whether the origin is the Unix epoch, as aligned limits need. */
  readonly isWall?: boolean;
  /** Calls back once after a number of milliseconds; returns what prevents it. Without it, timers
   * of the platform are used. */
  setTimer?(callback: () => void, millis: number): () => void;
}

/** `performance.now()`: milliseconds that never go back. */
export const monotonicClock: Clock<number> = {
  now: () => performance.now(),
};

/** `Date.now()`: milliseconds since the Unix epoch. */
export const wallClock: Clock<number> = {
  now: () => Date.now(),
  isWall: true,
};

/** A clock for tests: it moves only when it is told, and calls back those who wait by it. */
export class ManualClock<T extends Time = number> implements Clock<Kind<T>> {
  readonly isWall: boolean;
  #now: Kind<T>;
  #timers: { at: Kind<T>; callback: () => void }[] = [];

  /** A clock that reads `now`. */
  constructor(now: T = 0 as T, options: { isWall?: boolean } = {}) {
    this.#now = now as Kind<T>;
    this.isWall = options.isWall ?? false;
  }

  now(): Kind<T> {
    return this.#now;
  }

  /** Sets the reading, also to an earlier one. */
  set(now: Kind<T>): void {
    this.#now = now;
    // Those that are due when called may set others.
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= this.#now);
      const first = due.reduce((a, b) => (b.at < a.at ? b : a), due[0]!);
      if (first === undefined) return;
      this.#timers.splice(this.#timers.indexOf(first), 1);
      first.callback();
    }
  }

  /** Moves the reading forward. */
  advance(by: Kind<T>): void {
    this.set((this.#now as number) + (by as number) as Kind<T>);
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  setTimer(callback: () => void, millis: number): () => void {
    const delay = typeof this.#now === "bigint" ? BigInt(Math.ceil(millis * 1e6)) : millis;
    const timer = { at: ((this.#now as number) + (delay as number)) as Kind<T>, callback };
    this.#timers.push(timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }
}
