import type { Clock } from "../index.js";

/**
 * The store's time, as far as it is known here: that of the latest reply, and what a monotonic clock has
 * counted since the reply arrived. The store read its clock before, so this is not ahead of it.
 */
export class ServerClock {
  readonly #clock: Clock<number>;
  #us: number | undefined;
  #arrived = 0;

  constructor(clock: Clock<number>) {
    this.#clock = clock;
  }

  /** Takes over the time of a reply that has just arrived. */
  arrived(us: number): void {
    this.#us = us;
    this.#arrived = this.#clock.now();
  }

  /** Now, in whole microseconds since the Unix epoch; `undefined` before the first reply. */
  nowUs(): number | undefined {
    if (this.#us === undefined) return undefined;
    return this.#us + Math.floor(Math.max(this.#clock.now() - this.#arrived, 0) * 1000);
  }
}
