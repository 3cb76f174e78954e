import type { Clock } from "./clock.js";
import { type Decision, decision } from "./decision.js";
import { At, NO_GROUP, Op, decide, engine, exactAmount, float, put } from "./engine.js";
import { TokenweirError, typeError } from "./errors.js";
import { checked } from "./fault.js";
import type { LimiterEvent } from "./events.js";
import { Demand } from "./joint.js";
import type { CommonOptions } from "./limiter.js";
import { Limits, type LimitsLike } from "./limits.js";
import { type AcquireOptions, Crowd, Queue } from "./queue.js";
import type { Reservation } from "./reservation.js";
import type { Inheritance } from "./inheritance.js";
import { type LimitStatus, Subject, newGroup, update } from "./subject.js";
import { Timetable } from "./timetable.js";
import { defaultClock } from "./token-bucket.js";
import { type Amount, type Time, putInstant } from "./time.js";

/** What a keyed limiter may be made with. */
export interface KeyedLimiterOptions extends CommonOptions {
  /** How many keys are kept at most; 100 000 unless given. */
  maxKeys?: number;
  /** What happens to a new key where there is no room and nothing can be given up: it is refused, or
   * shares one further limiter with all others that find no room. */
  overflow?: "deny" | "share";
}

/** A new key found no room; nothing was decided. */
export class TooManyKeysError extends TokenweirError {
  /** How many keys are kept at most, all of which are in use. */
  readonly maxKeys: number;

  constructor(maxKeys: number) {
    super("too_many_keys", `all ${maxKeys} keys are in use`);
    this.name = "TooManyKeysError";
    this.maxKeys = maxKeys;
  }
}

/**
 * One limiter for each of many keys, all under the same limits: per client, per user, per tenant.
 *
 * At most `maxKeys` keys are kept. A key whose limits are all full says nothing that a new one would
 * not, so it is given up: each new key looks at a few others for that. A key that has used anything is
 * never given up for another, so that rotating keys cannot buy a fresh burst.
 *
 * ```ts
 * const limiter = new KeyedLimiter("5/s burst 10", { maxKeys: 50_000 });
 * if (!limiter.tryAcquire(user)) return limiter.peek(user).retryAfterMs;
 * ```
 */
export class KeyedLimiter {
  /** Whether there is a limit for each of many keys. */
  readonly isKeyed = true;
  /** The clock. */
  readonly clock: Clock;
  /** How many keys are kept at most. */
  readonly maxKeys: number;
  readonly #group: number;
  /** The group if nobody wants to be told what it decides. */
  readonly #quiet: number;
  /** The entry of each key. */
  readonly #entries = new Map<string, number>();
  /** The key of each entry. */
  readonly #keys: string[] = [];
  readonly #queues = new Map<number, Queue>();
  readonly #timetable: Timetable;
  readonly #crowd: Crowd;
  readonly #onEvent: CommonOptions["onEvent"];
  /** The entry that those share who find no room. */
  readonly #shared: number | undefined;
  #limits: Limits;

  constructor(limits: LimitsLike, options: KeyedLimiterOptions = {}) {
    this.#limits = Limits.of(limits);
    this.clock = options.clock ?? defaultClock(this.#limits);
    this.maxKeys = options.maxKeys ?? 100_000;
    if (!Number.isSafeInteger(this.maxKeys) || this.maxKeys < 1) {
      throw typeError("maxKeys", "a whole number from 1", this.maxKeys);
    }
    this.#onEvent = options.onEvent;
    this.#crowd = new Crowd(options.maxWaiting ?? 10_000);
    this.#timetable = new Timetable(this.clock);
    this.#group = newGroup(this, this.#limits, this.clock);
    this.#quiet = this.#onEvent === undefined ? this.#group : NO_GROUP;
    if (options.overflow === "share") this.#shared = this.#newEntry(this.clock.now(), 1, true);
  }

  /** The limits. */
  get limits(): Limits {
    return this.#limits;
  }

  /** How many keys are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#crowd.waiting;
  }

  /** Takes `cost` from every limit of the key if all have it; otherwise from none. A new key without
   * room is refused. */
  tryAcquire(key: string, cost: Amount = 1, now: Time = this.clock.now()): boolean {
    const entry = this.#entries.get(key) ?? this.#admit(key, now);
    if (entry === undefined) return false;
    if (typeof cost === "number" && (cost | 0) === cost && typeof now === "number") {
      const result = decide(this.#quiet, entry, cost, now);
      if (result >= 0) return result === 1;
    }
    return this.#check(key, entry, cost, now).allowed;
  }

  /** As {@link tryAcquire}, with the numbers of the limit that decided. A new key without room is a
   * {@link TooManyKeysError}. */
  check(key: string, cost: Amount = 1, now: Time = this.clock.now()): Decision {
    return this.#check(key, this.#entry(key, now), cost, now);
  }

  /** Whether {@link check} would allow the cost, and the numbers as they are; nothing changes. */
  peek(key: string, cost: Amount = 1, now: Time = this.clock.now()): Decision {
    const isKept = this.#entries.has(key);
    const subject = this.#subject(key, now);
    const allowed = subject.with(Op.Peek, cost, now) === 1;
    const made = decision(allowed, this.#limits.names);
    if (!isKept && this.#entries.delete(key)) engine.entryDrop(this.#group, subject.entry);
    return made;
  }

  /** Takes `cost`, waiting for it if need be: first come, first served for each key, and no key waits
   * for another. */
  async acquire(key: string, cost: Amount = 1, options: AcquireOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const now = this.clock.now();
    const entry = this.#entry(key, now);
    const peeked = this.#onEvent && this.peek(key, cost, now);
    if (peeked?.allowed !== false && this.tryAcquire(key, cost, now)) return;
    let queue = this.#queues.get(entry);
    if (queue === undefined) {
      const subject = new Subject(this.#group, entry);
      queue = new Queue(subject, this.#timetable, this.#crowd, typeof now === "bigint");
      this.#queues.set(entry, queue);
    }
    try {
      await queue.join(cost, now, options, (waitMs) => {
        if (waitMs !== undefined) this.#tell({ type: "reserved", cost, waitMs, now, key });
        else if (peeked !== undefined) this.#decided(key, cost, peeked, now);
      });
    } finally {
      if (queue.isEmpty) this.#queues.delete(entry);
    }
  }

  /** Takes `cost` ahead of time, unless the wait for it exceeds `maxWait`: then nothing changes and there
   * is no reservation. */
  reserve(key: string, cost: Amount = 1, maxWait?: Time, now: Time = this.clock.now()): Reservation | null {
    const subject = this.#subject(key, now);
    const reservation = subject.reserve<number>(this, cost, maxWait, now, false);
    if (reservation !== null) this.#tell({ type: "reserved", cost, waitMs: reservation.wait, now, key });
    return reservation;
  }

  /** Gives the cost of a reservation back to the key, if its time has not come; returns whether it
   * did. */
  cancel(key: string, reservation: Reservation, now: Time = this.clock.now()): boolean {
    let cancelled = false;
    const subject = this.#subject(key, now);
    this.#around(subject.entry, now, () => {
      cancelled = subject.cancel(this, reservation, now);
    });
    if (cancelled) this.#tell({ type: "refunded", cost: reservation.amount, now, key });
    return cancelled;
  }

  /** Gives `cost` back to every limit of the key, up to its quota. */
  refund(key: string, cost: Amount = 1, now: Time = this.clock.now()): void {
    const subject = this.#subject(key, now);
    this.#around(subject.entry, now, () => subject.with(Op.Refund, cost, now));
    this.#tell({ type: "refunded", cost, now, key });
  }

  /** Fills every limit of the key; what is owed is forgotten. */
  reset(key: string, now: Time = this.clock.now()): void {
    const entry = this.#entries.get(key);
    // A key that is not kept is full.
    if (entry === undefined) return;
    this.#around(entry, now, () => new Subject(this.#group, entry).at(Op.Reset, now));
  }

  /** Replaces the limits of all keys; what becomes of what each has left is for `inheritance` to say.
   * Whoever waits is planned anew. Takes a time that grows with the number of keys. */
  update(limits: LimitsLike, inheritance: Inheritance = "as-is", now: Time = this.clock.now()): void {
    const replaced = Limits.of(limits);
    const queues = [...this.#queues.values()];
    for (const queue of queues) queue.release(now);
    try {
      update(this.#group, replaced, inheritance, now);
      this.#limits = replaced;
    } finally {
      for (const queue of queues) queue.rejoin(now);
    }
    this.#tell({ type: "updated", limits: replaced, inheritance, now });
  }

  /** What the key has, rounded down: that of the limit that has the least. */
  available(key: string, now: Time = this.clock.now()): number {
    return this.#subject(key, now).available(now, false);
  }

  /** How each limit of the key stands. */
  statuses(key: string, now: Time = this.clock.now()): LimitStatus[] {
    return this.#subject(key, now).statuses(this.#limits.names.length, now, false);
  }

  /** What is asked for here, for a decision over several limiters, see {@link checkAll}. */
  demand(key: string, cost: Amount = 1): Demand {
    return new Demand(this.clock, cost, (now) => this.#subject(key, now), () => this.#limits.names);
  }

  toString(): string {
    return `KeyedLimiter(${this.#limits})`;
  }

  #check(key: string, entry: number, cost: Amount, now: Time): Decision {
    const isPlain = typeof cost === "number" && (cost | 0) === cost && typeof now === "number";
    const result = isPlain
      ? engine.check(this.#group, entry, cost, now)
      : new Subject(this.#group, entry).with(Op.Check, cost, now);
    const made = decision(checked(result) === 1, this.#limits.names);
    this.#decided(key, cost, made, now);
    return made;
  }

  #subject(key: string, now: Time): Subject {
    return new Subject(this.#group, this.#entry(key, now));
  }

  #entry(key: string, now: Time): number {
    const entry = this.#entries.get(key) ?? this.#admit(key, now);
    if (entry === undefined) throw new TooManyKeysError(this.maxKeys);
    return entry;
  }

  /** The entry of a new key, or of all that find no room. */
  #admit(key: string, now: Time): number | undefined {
    if (typeof key !== "string") throw typeError("key", "a string", key);
    const entry = this.#newEntry(now, this.#shared === undefined ? this.maxKeys : this.maxKeys + 1, false);
    if (entry < 0) return this.#shared;
    this.#entries.set(key, entry);
    this.#keys[entry] = key;
    return entry;
  }

  #newEntry(now: Time, room: number, isPinned: boolean): number {
    put(At.number, BigInt(room) | (isPinned ? 1n << 64n : 0n));
    putInstant(At.now, now);
    const entry = checked(engine.entryNew(this.#group));
    const evicted = float(At.result);
    for (let index = 0; index < evicted; index += 1) {
      const given = Number(exactAmount(At.records + index));
      this.#entries.delete(this.#keys[given]!);
      this.#keys[given] = "";
    }
    return entry;
  }

  #around(entry: number, now: Time, change: () => void): void {
    const queue = this.#queues.get(entry);
    if (queue === undefined) change();
    else queue.around(now, change);
  }

  #decided(key: string, cost: Amount, made: Decision, now: Time): void {
    this.#tell({ type: made.allowed ? "allowed" : "refused", cost, decision: made, now, key });
  }

  #tell(event: LimiterEvent): void {
    this.#onEvent?.(event);
  }
}
