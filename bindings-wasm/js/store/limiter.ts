import {
  type AcquireOptions,
  type Amount,
  type Decision,
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
import { Entries, type Entry, type Pending } from "./entries.js";
import { checkedKey, inRange, wrongType } from "./errors.js";
import { Guard } from "./guard.js";
import { type Attempt, type Counts, Link, nanos } from "./link.js";
import type { Acquired, StoredLimiterOptions } from "./options.js";
import { type DegradedDecision, Policy, type SharedDecision, type StoredDecision } from "./policy.js";
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
  readonly entries: Entries;
  readonly #recheckMs: number;
  readonly #maxWaiting: number;
  readonly #onDegraded: StoredLimiterOptions["onDegraded"];
  #desired: stored.Desired & { readonly limits: Limits };
  #waiting = 0;

  constructor(store: Store, limits: LimitsLike, options: StoredLimiterOptions = {}) {
    if (typeof store?.compareAndSet !== "function") throw wrongType("store", "a store", store);
    const maxKeys = inRange("maxKeys", options.maxKeys ?? 100_000, 1, 2 ** 24);
    this.store = store;
    this.#recheckMs = inRange("recheckMs", options.recheckMs ?? 1_000, 0, Infinity);
    this.#maxWaiting = inRange("maxWaiting", options.maxWaiting ?? 10_000, 0, Infinity);
    this.#onDegraded = options.onDegraded;
    this.#desired = desired(limits, options.version, options.inheritance);
    this.policy = new Policy(options.onStoreError ?? "raise", this.limits, maxKeys);
    this.entries = new Entries(maxKeys);
    this.link = new Link(new Guard(store, options.deadlineMs, options.breaker), options.clock ?? monotonicClock);
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
  get desired(): stored.Desired & { readonly limits: Limits } {
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
        reservation = await this.#submit(key, { type: "reserve", cost, ...maxWait });
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
    return this.#submit(key, { type: "acquireUpTo", cost: most });
  }

  /** Takes `cost` whether it is there or not, and returns how long the debt lasts, in milliseconds. */
  async acquireIgnoringLimits(key: string, cost: Amount): Promise<number> {
    return this.#submit(key, { type: "acquireIgnoringLimits", cost });
  }

  /** Takes `cost` ahead of time. Rejects with a `RateLimitedError` if the wait would exceed `maxWait`
   * milliseconds. */
  async reserve(key: string, cost: Amount = 1, maxWait?: Time): Promise<Reservation<number>> {
    return this.#submit(key, { type: "reserve", cost, ...(maxWait !== undefined && { maxWait }) });
  }

  /** Gives the cost of a reservation back, if its time has not come; returns whether it did. */
  async cancel(key: string, reservation: Reservation<number>): Promise<boolean> {
    return this.#submit(key, { type: "cancel", reservation });
  }

  /** Gives `cost` back to every limit of the key, up to its quota. */
  async refund(key: string, cost: Amount = 1): Promise<void> {
    await this.#submit(key, { type: "refund", cost });
  }

  /** Adds `tokens` to every limit of the key, beyond its quota if need be. */
  async forceAdd(key: string, tokens: Amount): Promise<void> {
    await this.#submit(key, { type: "forceAdd", cost: tokens });
  }

  /** Fills every limit of the key; what is owed is forgotten. */
  async reset(key: string): Promise<void> {
    await this.#submit(key, { type: "reset" });
  }

  /** How each limit of the key stands, in the order of the limits in force. */
  async statuses(key: string): Promise<LimitStatus[]> {
    return this.#submit(key, { type: "statuses" });
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
    try {
      const quick = type === "check" ? this.#quickly(key, cost) : undefined;
      if (quick !== undefined) return quick;
    } catch (error) {
      return Promise.reject(error);
    }
    const decision = this.#submit<Decision>(key, { type, cost });
    return decision.then(shared, (error: unknown) => this.#degraded(error, key, cost, type === "check"));
  }

  /** A check of a key that nobody else waits for, which is what most calls are; `undefined` where it has to
   * be asked as other commands are. What can be is done while the store is at work. */
  #quickly(key: string, cost: Amount): Promise<StoredDecision> | undefined {
    const nowUs = this.link.nowUs();
    if (typeof cost !== "number" || nowUs === undefined) return undefined;
    const entry = this.entries.of(checkedKey(key));
    if (!entry.isIdle) return undefined;
    const { limits } = this.#desired;
    const { quick } = stored.native;
    if (quick === undefined) return undefined;
    const step = quick.check(entry.value, this.#desired, nowUs, cost);
    if (step === undefined) return undefined;
    if (step.write === null) {
      if (!this.isFresh(entry)) return undefined;
      this.link.counts.localRefusals += 1;
      return Promise.resolve(shared(quick.decision(step, limits)));
    }
    entry.isBusy = true;
    const comparison = { key, seen: entry.value, write: step.write, keepMs: step.keepMs };
    let decision: SharedDecision;
    const asked = this.link.ask<SharedDecision>([comparison], entry, nowUs, this.link.guard.deadlineMs, (same) => {
      if (!same) return this.#again(entry, cost);
      this.#landed(entry);
      return decision;
    });
    decision = shared(quick.decision(step, limits));
    return asked.catch((error: unknown) => {
      if (entry.isBusy) this.#failed(entry, [], error);
      return this.#degraded(error, key, cost);
    });
  }

  /** A check of a key whose value has turned out to be another. */
  async #again(entry: Entry, cost: number): Promise<SharedDecision> {
    const decision = await new Promise<Decision>((resolve, reject) => {
      const pending = { command: { type: "check", cost } as const, resolve: resolve as Pending["resolve"], reject };
      void this.#flight(entry, [pending], true);
    });
    return shared(decision);
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

  /** Runs a command in the next request for its key. */
  async #submit<R>(key: string, command: stored.Command): Promise<R> {
    stored.checkCommand(command);
    const entry = this.entries.of(checkedKey(key));
    if (entry.isIdle && !isQuestion(command)) {
      const outcome = this.#locally(entry, command);
      if (outcome !== undefined) return settled<R>(outcome);
    }
    return new Promise<R>((resolve, reject) => {
      entry.waiting.push({ command, resolve: resolve as (outcome: unknown) => void, reject });
      this.next(entry);
    });
  }

  /** The outcome of a command that takes nothing, if what was seen last is enough to tell. */
  #locally(entry: Entry, command: stored.Command): unknown {
    const nowUs = this.link.nowUs();
    if (nowUs === undefined || !this.isFresh(entry)) return undefined;
    const step = stored.stepBatch(entry.value, this.#desired, nanos(nowUs), [command]);
    if (step.write !== null) return undefined;
    this.link.counts.localRefusals += 1;
    return step.outcomes[0];
  }

  /** @internal Whether a refusal may stand on what was seen of a key. */
  isFresh(entry: Entry): boolean {
    return this.link.clock.now() - entry.seenAt < this.#recheckMs;
  }

  /** @internal Lets the next have the key, if anybody waits for it. */
  next(entry: Entry): void {
    if (entry.isBusy) return;
    const turn = entry.turns.shift();
    if (turn !== undefined) {
      entry.isBusy = true;
      turn();
    } else if (entry.waiting.length > 0) {
      entry.isBusy = true;
      const flying = entry.waiting;
      entry.waiting = [];
      void this.#flight(entry, flying);
    }
  }

  /** Decides for all who fly, until it is decided; whether their key has just been read. */
  async #flight(entry: Entry, flying: readonly Pending[], wasSeen = false): Promise<void> {
    try {
      const attempt = (nowUs: number) => this.#attempt(entry, flying, nowUs);
      const outcomes = await this.link.decide([entry.key], entry, attempt, wasSeen);
      flying.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      });
      this.#landed(entry);
    } catch (error) {
      this.#failed(entry, flying, error);
    }
  }

  #landed(entry: Entry): void {
    entry.isBusy = false;
    this.next(entry);
  }

  #failed(entry: Entry, flying: readonly Pending[], error: unknown): void {
    entry.forget();
    // Whoever came meanwhile would only wait as long again for the same.
    for (const { reject } of [...flying, ...entry.waiting.splice(0)]) reject(error);
    this.#landed(entry);
  }

  #attempt(entry: Entry, flying: readonly Pending[], nowUs: number): Attempt<unknown[]> {
    const commands = flying.map(({ command }) => command);
    const { outcomes, write } = stored.stepBatch(entry.value, this.#desired, nanos(nowUs), commands);
    const comparison = { key: entry.key, seen: entry.value, write: write?.bytes ?? null, keepMs: write?.keepMs ?? 1 };
    const mayBeOld = this.isFresh(entry) && !commands.some(isQuestion);
    return { result: outcomes, entries: [comparison], mayBeOld };
  }
}

/** A decision of the store, which has just been made and is nobody else's: copying it takes longer. */
const shared = (decision: Decision): SharedDecision => Object.assign(decision, { degraded: false } as const);

/** Whether a command asks how things are, which only the store knows. */
const isQuestion = ({ type }: stored.Command): boolean =>
  type === "peek" || type === "statuses" || type === "cancel";

function settled<R>(outcome: unknown): R {
  if (outcome instanceof Error) throw outcome;
  return outcome as R;
}

function desired(limits: LimitsLike, version?: Amount, inheritance?: Inheritance) {
  const wanted = {
    limits: Limits.of(limits),
    ...(version !== undefined && { version }),
    ...(inheritance !== undefined && { inheritance }),
  };
  // Tells of what is out of range.
  stored.step(null, wanted, 0n, { type: "statuses" });
  return wanted;
}
