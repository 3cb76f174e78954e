import { type Clock, monotonicClock, wallClock } from "./clock.js";
import { At, Op, RECORD, decide, engine, integer, put } from "./engine.js";
import { checked } from "./fault.js";
import { type Bandwidth, Limits } from "./limits.js";
import type { Reservation } from "./reservation.js";
import type { Inheritance } from "./inheritance.js";
import { Subject, newEntry, newGroup, update } from "./subject.js";
import { type Amount, type Time, amount, time, wait } from "./time.js";

/** The outcome of asking for tokens, with what is left and how long things take. */
export interface Probe<T extends Time = number> {
  /** Whether the tokens were taken. */
  readonly consumed: boolean;
  /** Tokens left after the call, rounded down; 0 while reservations are owed. */
  readonly remaining: T;
  /** How long until the same call would be granted, rounded up, if nobody else takes tokens; `null`
   * for never. */
  readonly wait: T | null;
  /** How long until every bandwidth is full, rounded up; `null` for never. */
  readonly reset: T | null;
}

/** What asking for tokens would give; nothing was taken. */
export interface Estimate<T extends Time = number> {
  /** Whether the tokens are there. */
  readonly canConsume: boolean;
  /** Tokens there are now, rounded down; 0 while reservations are owed. */
  readonly remaining: T;
  /** As {@link Probe.wait}. */
  readonly wait: T | null;
}

/** The state of one bandwidth as numbers. */
export interface Level {
  /** Whole tokens; negative while reservations are owed. */
  readonly tokens: bigint;
  /** The part of the next token that has been refilled, in units of 1/period in nanoseconds. */
  readonly remainder: bigint;
  /** The instant of the last refill, in nanoseconds. */
  readonly lastRefill: bigint;
}

/** What a bucket may be made with. */
export interface BucketOptions<T extends Time = number> {
  /** Where `now` comes from when it is not given. One of bigints makes a bucket that answers in
   * bigints. */
  clock?: Clock<T>;
}

/**
 * A token bucket with one or more bandwidths, all of which must agree.
 *
 * Every operation takes the instant `now` last, which is otherwise read from the clock. A refused
 * call, an estimate and a query change nothing.
 *
 * ```ts
 * const bucket = new TokenBucket(Bandwidth.greedy(3, 10, 1_000));
 * if (!bucket.tryConsume(2)) console.log(bucket.estimate(2).wait);
 * ```
 */
export class TokenBucket<T extends Time = number> {
  /** The clock. */
  readonly clock: Clock<T>;
  readonly #subject: Subject;
  readonly #exact: boolean;
  #limits: Limits;

  constructor(bandwidths: Bandwidth | readonly Bandwidth[], options: BucketOptions<T> = {}) {
    this.#limits = Limits.of(bandwidths);
    this.clock = options.clock ?? (defaultClock(this.#limits) as Clock as Clock<T>);
    const now = this.clock.now();
    this.#exact = typeof now === "bigint";
    const group = newGroup(this, this.#limits, this.clock);
    this.#subject = new Subject(group, newEntry(group, now));
  }

  /** A bucket with the state of a snapshot. */
  static restore<T extends Time = number>(
    bandwidths: Bandwidth | readonly Bandwidth[],
    snapshot: readonly Level[],
    options: BucketOptions<T> = {},
  ): TokenBucket<T> {
    const bucket = new TokenBucket<T>(bandwidths, options);
    snapshot.forEach((level, index) => {
      const at = At.records + index * RECORD;
      put(at, level.tokens);
      put(at + 2, level.remainder);
      put(at + 4, level.lastRefill);
    });
    put(At.number, BigInt(snapshot.length));
    checked(engine.run(bucket.#subject.group, bucket.#subject.entry, Op.Restore));
    return bucket;
  }

  /** Takes `tokens` if every bandwidth has them; otherwise nothing changes. */
  tryConsume(tokens: Amount = 1, now: Time = this.clock.now()): boolean {
    if (typeof tokens === "number" && (tokens | 0) === tokens && typeof now === "number") {
      const { group, entry } = this.#subject;
      const result = decide(group, entry, tokens, now);
      if (result >= 0) return result === 1;
    }
    return this.#subject.with(Op.Try, tokens, now, "tokens") === 1;
  }

  /** As {@link tryConsume}, with what is left, the wait and the time to full. */
  probe(tokens: Amount = 1, now: Time = this.clock.now()): Probe<T> {
    const consumed = this.#subject.with(Op.Check, tokens, now, "tokens") === 1;
    const retryAfter = wait<T>(At.result + 4, this.#exact);
    this.#subject.at(Op.Look, now);
    return {
      consumed,
      remaining: this.#remaining(),
      wait: retryAfter,
      reset: wait(At.result + 2, this.#exact),
    };
  }

  /** What {@link probe} would answer; nothing changes. */
  estimate(tokens: Amount = 1, now: Time = this.clock.now()): Estimate<T> {
    const canConsume = this.#subject.with(Op.Peek, tokens, now, "tokens") === 1;
    const retryAfter = wait<T>(At.result + 4, this.#exact);
    this.#subject.at(Op.Look, now);
    return { canConsume, remaining: this.#remaining(), wait: retryAfter };
  }

  /** Takes the tokens there are, at most `most`, and returns how many that were. */
  consumeUpTo(most: Amount = MOST, now: Time = this.clock.now()): T {
    this.#subject.with(Op.UpTo, most, now, "most");
    return amount(At.result, this.#exact);
  }

  /** Takes `tokens` whether they are there or not, and returns how long the debt lasts, rounded up:
   * 0 if they were there. */
  consumeIgnoringLimits(tokens: Amount, now: Time = this.clock.now()): T {
    this.#subject.with(Op.Anyway, tokens, now, "tokens");
    return time(At.result, this.#exact);
  }

  /** Takes `tokens` ahead of time, unless the wait for them exceeds `maxWait`: then nothing changes
   * and there is no reservation. `tokens` may be above the capacity. */
  reserve(tokens: Amount, maxWait?: Time, now: Time = this.clock.now()): Reservation<T> | null {
    return this.#subject.reserve(this, tokens, maxWait, now, this.#exact);
  }

  /** Gives the tokens of a reservation back, up to the capacity, if its time has not come; returns
   * whether it did. */
  cancel(reservation: Reservation<T>, now: Time = this.clock.now()): boolean {
    return this.#subject.cancel(this, reservation, now);
  }

  /** Adds `tokens`, up to the capacity; a bucket that holds more is left as it is. */
  add(tokens: Amount, now: Time = this.clock.now()): void {
    this.#subject.with(Op.Refund, tokens, now, "tokens");
  }

  /** Adds `tokens`, beyond the capacity if need be. */
  forceAdd(tokens: Amount, now: Time = this.clock.now()): void {
    this.#subject.with(Op.ForceAdd, tokens, now, "tokens");
  }

  /** Fills every bandwidth to its capacity; tokens above it are lost. */
  reset(now: Time = this.clock.now()): void {
    this.#subject.at(Op.Reset, now);
  }

  /** The tokens there are, rounded down: those of the emptiest bandwidth. Negative while
   * reservations are owed. */
  available(now: Time = this.clock.now()): T {
    return this.#subject.available(now, this.#exact);
  }

  /** The tokens of each bandwidth, rounded down. */
  availableOfEach(now: Time = this.clock.now()): T[] {
    const statuses = this.#subject.statuses<T>(this.#limits.names.length, now, this.#exact);
    return statuses.map((status) => status.available);
  }

  /** How long until every bandwidth is full, rounded up; `null` for never. */
  timeToFull(now: Time = this.clock.now()): T | null {
    return this.#subject.timeToFull(now, this.#exact);
  }

  /** Replaces the bandwidths; what becomes of the tokens is for `inheritance` to say. Those of the
   * same name take over from one another, as do two without a name if they are the only ones. */
  replace(
    bandwidths: Bandwidth | readonly Bandwidth[],
    inheritance: Inheritance = "as-is",
    now: Time = this.clock.now(),
  ): void {
    const limits = Limits.of(bandwidths);
    update(this.#subject.group, limits, inheritance, now);
    this.#limits = limits;
  }

  /** The state as numbers, one level for each bandwidth, to be kept and restored. */
  snapshot(): Level[] {
    this.#subject.at(Op.Levels, 0);
    return this.#limits.names.map((_, index) => {
      const at = At.records + index * RECORD;
      return { tokens: integer(at), remainder: integer(at + 2), lastRefill: integer(at + 4) };
    });
  }

  /** The limits, as text. */
  toString(): string {
    return `TokenBucket(${this.#limits})`;
  }

  #remaining(): T {
    const available = amount<T>(At.result, this.#exact);
    return available < 0 ? ((this.#exact ? 0n : 0) as T) : available;
  }
}

/** The most that can be asked for. */
const MOST = (1n << 63n) - 1n;

/** The clock that serves these limits. */
export function defaultClock(limits: Limits): Clock<number> {
  return limits.isAligned ? wallClock : monotonicClock;
}

/** As {@link defaultClock}, one that all threads read alike. */
export function sharedClock(limits: Limits): Clock<number> {
  return limits.isAligned ? wallClock : { now: () => engine.sharedNow?.() ?? performance.now() };
}
