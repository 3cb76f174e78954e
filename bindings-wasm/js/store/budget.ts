import { checkedKey, inRange } from "./errors.js";
import type { StoredLimiter } from "./limiter.js";

/**
 * Spends a key's tokens in slices: for keys so hot that one round trip a decision is too many.
 *
 * A slice is taken from the store at once and spent in this process without asking again, so in total nothing
 * is granted that the limits do not have. But what is held may be spent later than it was taken: in any
 * period, up to slice × processes more than the limits say for that period. Resets and new limits do not touch what
 * is held. {@link close} gives it back.
 *
 * ```ts
 * const budget = new LocalBudget(limiter, { slice: 100 });
 * if (await budget.tryAcquire("tenant:1")) serve();
 * ```
 */
export class LocalBudget {
  readonly #limiter: StoredLimiter;
  readonly #slice: number;
  /** What each key has here. */
  readonly #held = new Map<string, number>();
  /** The request for more of a key, while there is one. */
  readonly #requests = new Map<string, Promise<number>>();
  #isClosed = false;

  constructor(limiter: StoredLimiter, options: { slice: number }) {
    this.#limiter = limiter;
    this.#slice = inRange("slice", options.slice, 1, Number.MAX_SAFE_INTEGER);
  }

  /** What is held for a key. */
  held(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  /** Takes `cost` from what is held, and a slice from the store if that is not enough. A cost above the slice is
   * for the store to decide. When the store fails, the limiter's policy decides. */
  async tryAcquire(key: string, cost = 1): Promise<boolean> {
    checkedKey(key);
    inRange("cost", cost, 1, Number.MAX_SAFE_INTEGER);
    if (cost > this.#slice || this.#isClosed) return this.#limiter.tryAcquire(key, cost);
    while (!this.#spend(key, cost)) {
      let more: number;
      try {
        more = await this.#more(key);
      } catch {
        return this.#limiter.tryAcquire(key, cost);
      }
      // What came may have gone to others who waited for it.
      if (more === 0) return false;
      if (this.#isClosed) return this.#limiter.tryAcquire(key, cost);
    }
    return true;
  }

  /** Gives back to the store what is held; afterwards every decision is the store's. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#requests.values());
    const held = [...this.#held];
    this.#held.clear();
    await Promise.all(held.filter(([, tokens]) => tokens > 0).map(([key, tokens]) => this.#limiter.refund(key, tokens)));
  }

  /** Fills up what is held for a key; tells how much came. All who want that wait for one request. */
  #more(key: string): Promise<number> {
    const underWay = this.#requests.get(key);
    if (underWay !== undefined) return underWay;
    const request = this.#limiter
      .acquireUpTo(key, this.#slice - this.held(key))
      .then((taken) => {
        this.#held.set(key, this.held(key) + taken);
        return taken;
      })
      .finally(() => this.#requests.delete(key));
    this.#requests.set(key, request);
    return request;
  }

  #spend(key: string, cost: number): boolean {
    const held = this.held(key);
    if (held < cost) return false;
    this.#held.set(key, held - cost);
    return true;
  }
}
