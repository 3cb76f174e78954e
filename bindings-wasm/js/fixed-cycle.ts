import type { Clock } from "./clock.js";
import { At, Op, decide, engine } from "./engine.js";
import { checked } from "./fault.js";
import { Cycle, Limits } from "./limits.js";
import type { Reservation } from "./reservation.js";
import { Subject, newEntry, newGroup, update } from "./subject.js";
import { type BucketOptions, defaultClock } from "./token-bucket.js";
import { type Amount, type Time, amount, putAmount, wait } from "./time.js";

/**
 * Grants a fixed number of permits in each cycle.
 *
 * Permits left at the end of a cycle are not carried over; reservations can take permits of later
 * cycles, which are then a debt that each cycle repays by its limit. Just before and just after the
 * end of a cycle, twice the limit can be granted in a short time: where that matters, use a
 * {@link TokenBucket}.
 *
 * ```ts
 * const cycle = new FixedCycle(new Cycle(100, 60_000, { timeout: 5_000 }));
 * const reservation = cycle.reserve(10);
 * if (reservation) await delay(reservation.wait);
 * ```
 */
export class FixedCycle<T extends Time = number> {
  /** The clock. */
  readonly clock: Clock<T>;
  readonly #subject: Subject;
  readonly #exact: boolean;
  #config: Cycle;

  constructor(config: Cycle, options: BucketOptions<T> = {}) {
    const limits = Limits.of(config);
    this.#config = config;
    this.clock = options.clock ?? (defaultClock(limits) as Clock as Clock<T>);
    const now = this.clock.now();
    this.#exact = typeof now === "bigint";
    const group = newGroup(this, limits, this.clock);
    this.#subject = new Subject(group, newEntry(group, now));
  }

  /** Takes `permits` if they are left in the current cycle; otherwise takes none. */
  tryAcquire(permits: Amount = 1, now: Time = this.clock.now()): boolean {
    if (typeof permits === "number" && (permits | 0) === permits && typeof now === "number") {
      const { group, entry } = this.#subject;
      const result = decide(group, entry, permits, now);
      if (result >= 0) return result === 1;
    }
    this.#check(permits);
    return this.#subject.with(Op.Try, permits, now, "permits") === 1;
  }

  /** Takes `permits`, to be used after a wait of at most the timeout; otherwise takes none and there is
   * no reservation. `permits` may be above the limit. */
  reserve(permits: Amount = 1, now: Time = this.clock.now()): Reservation<T> | null {
    this.#check(permits);
    let maxWait = this.#config.timeout;
    if (maxWait == 0) {
      // Granted only if there is nothing to wait for, which a reservation has no word for.
      if (this.#subject.with(Op.Peek, permits, now) === 0) {
        // Refused, and the limiter knows that its cycle has come.
        this.#subject.with(Op.Try, permits, now);
        return null;
      }
      maxWait = 1n;
    }
    return this.#subject.reserve(this, permits, maxWait, now, this.#exact);
  }

  /** Gives the permits of a reservation back, up to the limit, if its time has not come; returns
   * whether it did. */
  cancel(reservation: Reservation<T>, now: Time = this.clock.now()): boolean {
    return this.#subject.cancel(this, reservation, now);
  }

  /** Takes the permits left in the current cycle and returns how many that were; a debt stays. */
  drain(now: Time = this.clock.now()): T {
    this.#subject.with(Op.UpTo, (1n << 63n) - 1n, now);
    return amount(At.result, this.#exact);
  }

  /** Permits left in the current cycle; negative while reservations are owed, above the limit in a
   * cycle whose limit was lowered. */
  available(now: Time = this.clock.now()): T {
    return this.#subject.available(now, this.#exact);
  }

  /** How long until there are `permits` if nobody takes any, the timeout aside; `null` for more
   * than the limit. */
  wait(permits: Amount = 1, now: Time = this.clock.now()): T | null {
    this.#check(permits);
    this.#subject.with(Op.Peek, permits, now, "permits");
    return wait(At.result + 4, this.#exact);
  }

  /** How long until the whole limit is there; `null` for never. */
  timeToFull(now: Time = this.clock.now()): T | null {
    return this.#subject.timeToFull(now, this.#exact);
  }

  /** The number of the current cycle; the limiter was created in cycle 0. */
  cycle(now: Time = this.clock.now()): T {
    this.#subject.at(Op.Look, now);
    return amount(At.result + 4, this.#exact);
  }

  /** Changes limit, period, timeout and alignment in one step. The permits left, or the debt, stay as
   * they are until the cycle ends. */
  replace(config: Cycle, now: Time = this.clock.now()): void {
    update(this.#subject.group, Limits.of(config), "as-is", now);
    this.#config = config;
  }

  /** Changes the limit. The permits of the current cycle stay as they are until it ends. */
  changeLimit(limit: Amount, now: Time = this.clock.now()): void {
    const { period, alignedTo, timeout } = this.#config;
    this.replace(new Cycle(limit, period, { ...alignment(alignedTo), timeout }), now);
  }

  /** Changes how long reservations may wait. */
  changeTimeout(timeout: Time): void {
    const { limit, period, alignedTo } = this.#config;
    this.#config = new Cycle(limit, period, { ...alignment(alignedTo), timeout });
  }

  /** The configuration. */
  get config(): Cycle {
    return this.#config;
  }

  toString(): string {
    return `FixedCycle(${Limits.of(this.#config)})`;
  }

  /** Checks an amount with the error of permits. */
  #check(permits: Amount): void {
    putAmount(At.cost, permits, "permits");
    checked(engine.run(this.#subject.group, this.#subject.entry, Op.Permits), "permits");
  }
}

function alignment(alignedTo: Time | undefined): { alignedTo?: Time } {
  return alignedTo === undefined ? {} : { alignedTo };
}
