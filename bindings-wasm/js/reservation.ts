import { At, engine } from "./engine.js";
import { type Time, amount, time } from "./time.js";

const dropped = new FinalizationRegistry<number>((slot) => engine.reservationDrop(slot));

/**
 * Tokens or permits taken ahead of time: they may be used once the wait is over.
 *
 * Forgetting it keeps them taken; `cancel` of the limiter it came from gives them back as long as
 * their time has not come.
 */
export class Reservation<T extends Time = number> {
  /** How many tokens or permits were taken. */
  readonly amount: T;
  /** How long to wait from the call that reserved them; 0 means they may be used. */
  readonly wait: T;
  /** The instant from which they may be used. */
  readonly readyAt: T;
  /** The limiter they came from. */
  readonly #owner: object;
  #slot: number | undefined;

  /** @internal */
  constructor(owner: object, slot: number, taken: T, wait: T, readyAt: T) {
    this.amount = taken;
    this.wait = wait;
    this.readyAt = readyAt;
    this.#owner = owner;
    this.#slot = slot;
    dropped.register(this, slot, this);
  }

  /** @internal The reservation that the engine has just made. */
  static made<T extends Time>(owner: object, slot: number, exact: boolean): Reservation<T> {
    const taken = amount<T>(At.result, exact);
    return new Reservation(owner, slot, taken, time<T>(At.result + 2, exact), time<T>(At.result + 4, exact));
  }

  /** @internal Its number, once, if it came from this limiter. */
  take(owner: object): number | undefined {
    if (owner !== this.#owner) return undefined;
    const slot = this.#slot;
    this.#slot = undefined;
    dropped.unregister(this);
    return slot;
  }

  /** @internal Its number, if it came from this owner. */
  peek(owner: object): number | undefined {
    return owner === this.#owner ? this.#slot : undefined;
  }
}
