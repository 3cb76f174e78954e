import type { Clock } from "./clock.js";
import { type Decision, decision } from "./decision.js";
import { At, NO_GROUP, Op, decide, decideOne, engine, float } from "./engine.js";
import { checked } from "./fault.js";
import { Demand } from "./joint.js";
import type { Listener } from "./events.js";
import { Limits, type LimitsLike } from "./limits.js";
import { type AcquireOptions, Crowd, Queue } from "./queue.js";
import { Reservation } from "./reservation.js";
import type { Inheritance } from "./inheritance.js";
import { type LimitStatus, Subject, newEntry, newGroup, sharedGroup, update } from "./subject.js";
import { Timetable } from "./timetable.js";
import { defaultClock, sharedClock } from "./token-bucket.js";
import type { Amount, Time } from "./time.js";

/** What every limiter may be made with. */
export interface CommonOptions {
  /** Where `now` comes from when it is not given; unless told otherwise the clock that the limits
   * need. */
  clock?: Clock;
  /** Is told of what the limiter decides. */
  onEvent?: Listener;
  /** How many may wait at once; 10 000 unless given. */
  maxWaiting?: number;
}

/** What a limiter may be made with. */
export interface LimiterOptions extends CommonOptions {
  /** A name by which all worker threads of a process share the limiter, which lasts as long as the
   * process. Their clock is one that all of them read alike, unless given. Who waits in one thread is
   * not planned anew by what another does. Only where the native build runs. */
  shared?: string;
}

/**
 * One decision over several limits: all grant or none pays.
 *
 * Costs are whole numbers from 1. Every operation takes the instant `now` last, which is otherwise
 * read from the clock. A refused call takes nothing.
 *
 * ```ts
 * const limiter = new Limiter("10/s burst 20; 1000/day");
 * if (!limiter.tryAcquire()) console.log(limiter.peek().retryAfterMs);
 * await limiter.acquire(5, { timeoutMs: 2_000 });
 * ```
 */
export class Limiter {
  /** Whether there is a limit for each of many keys. */
  readonly isKeyed = false;
  /** The clock. */
  readonly clock: Clock;
  readonly #subject: Subject;
  /** That of the subject, of which it is the only entry, 0; none if somebody wants to be told. */
  readonly #group: number;
  readonly #onEvent: Listener | undefined;
  readonly #crowd: Crowd;
  /** Made when somebody waits for the first time. */
  #queue: Queue | undefined;
  #limits: Limits;
  readonly #isShared: boolean;
  /** How often the limits known here have been replaced. */
  #generation = 0;

  constructor(limits: LimitsLike, options: LimiterOptions = {}) {
    this.#limits = Limits.of(limits);
    this.#isShared = options.shared !== undefined;
    this.clock = options.clock ?? (this.#isShared ? sharedClock(this.#limits) : defaultClock(this.#limits));
    this.#onEvent = options.onEvent;
    this.#crowd = new Crowd(options.maxWaiting ?? 10_000);
    if (options.shared === undefined) {
      const group = newGroup(this, this.#limits, this.clock);
      this.#subject = new Subject(group, newEntry(group, this.clock.now()));
    } else {
      this.#subject = new Subject(sharedGroup(this, this.#limits, this.clock, options.shared), 0);
    }
    this.#group = this.#onEvent === undefined ? this.#subject.group : NO_GROUP;
  }

  /** The limits. */
  get limits(): Limits {
    if (this.#isShared) {
      this.#subject.with(Op.Peek, 1, this.clock.now());
      this.#keepUp();
    }
    return this.#limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#crowd.waiting;
  }

  /** Takes `cost` from every limit if all have it; otherwise from none. */
  tryAcquire(cost: Amount = 1, now: Time = this.clock.now()): boolean {
    if (typeof cost === "number" && (cost | 0) === cost && typeof now === "number") {
      const result = cost === 1 ? decideOne(this.#group, now) : decide(this.#group, 0, cost, now);
      if (result >= 0) return result === 1;
    }
    return this.#onEvent ? this.check(cost, now).allowed : this.#subject.with(Op.Try, cost, now) === 1;
  }

  /** As {@link tryAcquire}, with the numbers of the limit that decided. */
  check(cost: Amount = 1, now: Time = this.clock.now()): Decision {
    const isPlain = typeof cost === "number" && (cost | 0) === cost && typeof now === "number";
    const result = isPlain
      ? engine.check(this.#subject.group, 0, cost, now)
      : this.#subject.with(Op.Check, cost, now);
    const made = this.#decision(checked(result) === 1);
    this.#decided(cost, made, now);
    return made;
  }

  /** Whether {@link check} would allow the cost, and the numbers as they are; nothing changes. */
  peek(cost: Amount = 1, now: Time = this.clock.now()): Decision {
    return this.#decision(this.#subject.with(Op.Peek, cost, now) === 1);
  }

  /** Takes `cost`, waiting for it if need be: first come, first served. */
  async acquire(cost: Amount = 1, options: AcquireOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const now = this.clock.now();
    // Those who wait have taken what there was.
    const peeked = this.#onEvent && this.peek(cost, now);
    if (peeked?.allowed !== false && this.tryAcquire(cost, now)) return;
    this.#queue ??= new Queue(this.#subject, new Timetable(this.clock), this.#crowd, typeof now === "bigint");
    await this.#queue.join(cost, now, options, (waitMs) => {
      if (waitMs !== undefined) this.#onEvent?.({ type: "reserved", cost, waitMs, now });
      else if (peeked !== undefined) this.#decided(cost, peeked, now);
    });
  }

  /** Takes what every limit has, at most `most`, and returns how much that was. */
  acquireUpTo(most: Amount, now: Time = this.clock.now()): number {
    this.#subject.with(Op.UpTo, most, now, "most");
    return float(At.result);
  }

  /** Takes `cost` from every limit whether it is there or not, and returns how long the debt lasts,
   * in milliseconds rounded up: for a cost that is known only afterwards. */
  acquireIgnoringLimits(cost: Amount, now: Time = this.clock.now()): number {
    this.#subject.with(Op.Anyway, cost, now);
    return float(At.result);
  }

  /** Takes `cost` from every limit ahead of time, unless the wait for it exceeds `maxWait`: then nothing
   * changes and there is no reservation. */
  reserve(cost: Amount = 1, maxWait?: Time, now: Time = this.clock.now()): Reservation | null {
    const reservation = this.#subject.reserve<number>(this, cost, maxWait, now, false);
    if (reservation !== null) this.#onEvent?.({ type: "reserved", cost, waitMs: reservation.wait, now });
    return reservation;
  }

  /** Gives the cost of a reservation back, if its time has not come; returns whether it did. */
  cancel(reservation: Reservation, now: Time = this.clock.now()): boolean {
    let cancelled = false;
    this.#around(now, () => {
      cancelled = this.#subject.cancel(this, reservation, now);
    });
    if (cancelled) this.#onEvent?.({ type: "refunded", cost: reservation.amount, now });
    return cancelled;
  }

  /** Gives `cost` back to every limit, up to its quota; one that has more is left as it is. */
  refund(cost: Amount = 1, now: Time = this.clock.now()): void {
    this.#around(now, () => this.#subject.with(Op.Refund, cost, now));
    this.#onEvent?.({ type: "refunded", cost, now });
  }

  /** Adds `tokens` to every limit, beyond its quota if need be. */
  forceAdd(tokens: Amount, now: Time = this.clock.now()): void {
    this.#around(now, () => this.#subject.with(Op.ForceAdd, tokens, now, "tokens"));
  }

  /** Fills every limit; what is owed is forgotten. */
  reset(now: Time = this.clock.now()): void {
    this.#around(now, () => this.#subject.at(Op.Reset, now));
  }

  /** Replaces the limits; what becomes of what is left is for `inheritance` to say. Limits of the same
   * name take over from one another; whoever waits is planned anew. */
  update(limits: LimitsLike, inheritance: Inheritance = "as-is", now: Time = this.clock.now()): void {
    const replaced = Limits.of(limits);
    this.#around(now, () => update(this.#subject.group, replaced, inheritance, now));
    this.#limits = replaced;
    this.#generation += 1;
    this.#onEvent?.({ type: "updated", limits: replaced, inheritance, now });
  }

  /** What is there, rounded down: that of the limit that has the least. Negative while reservations are
   * owed. */
  available(now: Time = this.clock.now()): number {
    return this.#subject.available(now, false);
  }

  /** How long until every limit is full, in milliseconds rounded up; `null` for never. */
  timeToFull(now: Time = this.clock.now()): number | null {
    return this.#subject.timeToFull(now, false);
  }

  /** How each limit stands, in the order of the limits. */
  statuses(now: Time = this.clock.now()): LimitStatus[] {
    return this.#subject.statuses(this.limits.names.length, now, false);
  }

  toString(): string {
    return `Limiter(${this.#limits})`;
  }

  /** What is asked for here, for a decision over several limiters, see {@link checkAll}. */
  demand(cost: Amount = 1): Demand {
    return new Demand(this.clock, cost, () => this.#subject, () => this.#limits.names);
  }

  #decision(allowed: boolean): Decision {
    if (this.#isShared) this.#keepUp();
    return decision(allowed, this.#limits.names);
  }

  /** Takes over limits that another thread has put in force. */
  #keepUp(): void {
    const generation = float(At.result + 10);
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#limits = Limits.at(checked(engine.groupLimits!(this.#subject.group)));
  }

  #decided(cost: Amount, made: Decision, now: Time): void {
    this.#onEvent?.({ type: made.allowed ? "allowed" : "refused", cost, decision: made, now });
  }

  #around(now: Time, change: () => void): void {
    if (this.#queue === undefined) change();
    else this.#queue.around(now, change);
  }
}


