import {
  type AcquireOptions,
  type Amount,
  type Inheritance,
  type LimitStatus,
  Limits,
  type LimitsLike,
  QueueFullError,
  RateLimitedError,
  type Reservation,
  type Time,
  monotonicClock,
} from "../index.js";
import * as stored from "../stored.js";
import { checkedKey, inRange, wrongType } from "./errors.js";
import { Flights, type Wanted } from "./flights.js";
import { Guard } from "./guard.js";
import { type Counts, Link } from "./link.js";
import type { Acquired, StoredLimiterOptions } from "./options.js";
import { type DegradedDecision, Policy, type StoredDecision } from "./policy.js";
import type { Store } from "./store.js";
import { sleep } from "./sleep.js";
import { StoredDemand } from "./together.js";

/**
 * Limits that all processes share which use the same store, for each of many keys.
 *
 * ```ts
 * const limiter = new StoredLimiter(new RedisStore(new Redis(options)), "100/s burst 200; 10000/day");
 * const decision = await limiter.check("user:1");
 * if (!decision.allowed && !decision.degraded) console.log(decision.retryAfterMs);
 * ```
 *
 * A decision takes one round trip, a refusal none most of the time: what was seen last decides, for at most
 * `recheckMs`. Calls for one key that come while the store is asked are decided together by the next
 * request. Time is the store's.
 */
export class StoredLimiter {
  /** The store. */
  readonly store: Store;
  /** @internal */
  readonly link: Link;
  /** @internal */
  readonly policy: Policy;
  /** @internal */
  readonly flights: Flights;
  readonly #maxWaiting: number;
  readonly #onDegraded: StoredLimiterOptions["onDegraded"];
  #desired: Wanted;
  #waiting = 0;

  constructor(store: Store, limits: LimitsLike, options: StoredLimiterOptions = {}) {
    if (typeof store?.compareAndSet !== "function") throw wrongType("store", "a store", store);
    const maxKeys = inRange("maxKeys", options.maxKeys ?? 100_000, 1, 2 ** 24);
    this.store = store;
    this.#maxWaiting = inRange("maxWaiting", options.maxWaiting ?? 10_000, 0, Infinity);
    this.#onDegraded = options.onDegraded;
    this.#desired = desired(limits, options.version, options.inheritance);
    this.policy = new Policy(options.onStoreError ?? "raise", this.limits, maxKeys);
    this.link = new Link(new Guard(store, options.deadlineMs, options.breaker), options.clock ?? monotonicClock);
    const recheckMs = inRange("recheckMs", options.recheckMs ?? 1_000, 0, Infinity);
    this.flights = new Flights(this.link, maxKeys, recheckMs, () => this.#desired);
  }

  /** The limits that this process wants. */
  get limits(): Limits {
    return this.#desired.limits;
  }

  /** What happened between this limiter and the store, counted. */
  get counts(): Readonly<Counts> {
    return { ...this.link.counts };
  }

  /** Whether the store is left alone for now because it has failed. */
  get isStoreOpen(): boolean {
    return this.link.guard.isOpen;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @internal What is wanted under each key. */
  get desired(): Wanted {
    return this.#desired;
  }

  /** Takes `cost` from every limit of the key if all have it, otherwise from none; with the numbers of the
   * limit that decided. */
  check(key: string, cost: Amount = 1): Promise<StoredDecision> {
    return this.#decision(key, cost, "check");
  }

  /** Whether {@link check} would allow the cost; nothing changes. */
  peek(key: string, cost: Amount = 1): Promise<StoredDecision> {
    return this.#decision(key, cost, "peek");
  }

  /** As {@link check}, without the numbers. */
  async tryAcquire(key: string, cost: Amount = 1): Promise<boolean> {
    return (await this.#decision(key, cost, "check")).allowed;
  }

  /** Takes `cost`, waiting for it if need be: among all processes, first come first served. A wait is planned
   * once, so a reset does not shorten it. */
  async acquire(key: string, cost: Amount = 1, options: AcquireOptions = {}): Promise<Acquired> {
    const { signal, timeoutMs } = options;
    signal?.throwIfAborted();
    const decision = await this.check(key, cost);
    if (decision.degraded) return this.#acquireDegraded(decision, key, cost, options);
    if (decision.allowed) return { waitedMs: 0, degraded: false };
    if (decision.never) throw new RateLimitedError("never", Infinity);
    if (this.#waiting >= this.#maxWaiting) throw new QueueFullError(this.#maxWaiting);
    const maxWait = timeoutMs === undefined || timeoutMs === Infinity ? {} : { maxWait: timeoutMs as Time };
    this.#waiting += 1;
    try {
      let reservation: Reservation<number>;
      try {
        reservation = await this.flights.submit(key, { type: "reserve", cost, ...maxWait });
      } catch (error) {
        return await this.#acquireDegraded(this.#degraded(error, key, cost), key, cost, options);
      }
      try {
        await sleep(this.link.clock, reservation.wait, signal);
      } catch (reason) {
        // The store's failure would hide the caller's reason; at most the cost is lost.
        await this.cancel(key, reservation).catch(() => false);
        throw reason;
      }
      return { waitedMs: reservation.wait, degraded: false };
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Takes what every limit has, at most `most`, and returns how much that was. */
  async acquireUpTo(key: string, most: Amount): Promise<number> {
    return this.flights.submit(key, { type: "acquireUpTo", cost: most });
  }

  /** Takes `cost` whether it is there or not, and returns how long the debt lasts, in milliseconds. */
  async acquireIgnoringLimits(key: string, cost: Amount): Promise<number> {
    return this.flights.submit(key, { type: "acquireIgnoringLimits", cost });
  }

  /** Takes `cost` ahead of time. Rejects with a `RateLimitedError` if the wait would exceed `maxWait`
   * milliseconds. */
  async reserve(key: string, cost: Amount = 1, maxWait?: Time): Promise<Reservation<number>> {
    return this.flights.submit(key, { type: "reserve", cost, ...(maxWait !== undefined && { maxWait }) });
  }

  /** Gives the cost of a reservation back, if its time has not come; returns whether it did. */
  async cancel(key: string, reservation: Reservation<number>): Promise<boolean> {
    return this.flights.submit(key, { type: "cancel", reservation });
  }

  /** Gives `cost` back to every limit of the key, up to its quota. */
  async refund(key: string, cost: Amount = 1): Promise<void> {
    await this.flights.submit(key, { type: "refund", cost });
  }

  /** Adds `tokens` to every limit of the key, beyond its quota if need be. */
  async forceAdd(key: string, tokens: Amount): Promise<void> {
    await this.flights.submit(key, { type: "forceAdd", cost: tokens });
  }

  /** Fills every limit of the key; what is owed is forgotten. */
  async reset(key: string): Promise<void> {
    await this.flights.submit(key, { type: "reset" });
  }

  /** How each limit of the key stands, in the order of the limits in force. */
  async statuses(key: string): Promise<LimitStatus[]> {
    return this.flights.submit(key, { type: "statuses" });
  }

  /** Wants other limits from now on: each key gets them at its next operation, unless what is stored there has
   * this version or a higher one. */
  update(limits: LimitsLike, options: { version: Amount; inheritance?: Inheritance }): void {
    if (options?.version === undefined) throw wrongType("version", "a number or a bigint", undefined);
    this.#desired = desired(limits, options.version, options.inheritance);
    this.policy.update(this.limits, options.inheritance ?? "as-is");
  }

  /** What is asked for here, for a decision over several keys, see {@link checkTogether}. */
  demand(key: string, cost: Amount = 1): StoredDemand {
    return new StoredDemand(this, checkedKey(key), cost);
  }

  /** Stops what runs in the background; the store stays as it is. */
  close(): void {
    this.link.guard.close();
  }

  toString(): string {
    return `StoredLimiter(${this.limits})`;
  }

  #decision(key: string, cost: Amount, type: "check" | "peek"): Promise<StoredDecision> {
    const failed = (error: unknown) => this.#degraded(error, key, cost, type === "check");
    try {
      return this.flights.decision(key, cost, type).catch(failed);
    } catch (error) {
      // A misuse.
      return Promise.reject(error);
    }
  }

  #degraded(error: unknown, key: string, cost: Amount, take = true): DegradedDecision {
    const decision = this.policy.decide(error, key, cost, take);
    this.tellDegraded(decision, key);
    return decision;
  }

  /** @internal Counts and tells of a decision without the store. */
  tellDegraded(decision: DegradedDecision, key: string): void {
    this.link.counts.degraded += 1;
    this.#onDegraded?.(decision, key);
  }

  async #acquireDegraded(
    decision: DegradedDecision,
    key: string,
    cost: Amount,
    options: AcquireOptions,
  ): Promise<Acquired> {
    if (decision.allowed) return { waitedMs: 0, degraded: true };
    // An outage is no limit: whoever is denied is told of the outage.
    if (this.policy.local === undefined) throw decision.cause;
    const started = this.link.clock.now();
    await this.policy.local.acquire(key, cost, options);
    return { waitedMs: this.link.clock.now() - started, degraded: true };
  }
}

function desired(limits: LimitsLike, version?: Amount, inheritance?: Inheritance): Wanted {
  const wanted = {
    limits: Limits.of(limits),
    ...(version !== undefined && { version }),
    ...(inheritance !== undefined && { inheritance }),
  };
  // Tells of what is out of range.
  stored.step(null, wanted, 0n, { type: "statuses" });
  return wanted;
}
