import type { Time } from "./time.js";

const dropped = new FinalizationRegistry<() => void>((drop) => drop());

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

  /** @internal The reservation that a core has just made by this number, and how it is given up there. */
  constructor(
    owner: object,
    slot: number,
    { amount, wait, readyAt }: { amount: T; wait: T; readyAt: T },
    drop: (slot: number) => void,
  ) {
    this.amount = amount;
    this.wait = wait;
    this.readyAt = readyAt;
    this.#owner = owner;
    this.#slot = slot;
    dropped.register(this, () => drop(slot), this);
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
