import { At, Op, engine, float, put } from "./engine.js";
import { QueueFullError, RateLimitedError, coded } from "./errors.js";
import { onAbort } from "./signals.js";
import type { Subject } from "./subject.js";
import { type Amount, type Time, nanosOf, time } from "./time.js";
import type { Sleeper, Timetable } from "./timetable.js";

/** How to wait. */
export interface AcquireOptions {
  /** Ends the wait when it is aborted: what was taken is given back, and the promise is rejected with
   * its reason. */
  signal?: AbortSignal;
  /** The longest wait, in milliseconds. One that would take longer is rejected at once. */
  timeoutMs?: number;
}

/** Somebody who waits. */
interface Waiter {
  readonly cost: Amount;
  /** Until when, in nanoseconds; `undefined` for as long as it takes. */
  readonly deadline: bigint | undefined;
  /** The reservation. */
  slot: number;
  readyAt: Time;
  settled: boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  /** Removes what listens for the signal. */
  readonly detach: () => void;
}

/** How many wait in all queues of a limiter, and how many may. */
export class Crowd {
  waiting = 0;
  readonly #most: number;

  constructor(most: number) {
    if (!(most >= 0)) throw coded(new RangeError(`maxWaiting: ${most} is no number from 0`), "out_of_range");
    this.#most = most;
  }

  /** Checks that one more may wait. */
  check(): void {
    if (this.waiting >= this.#most) throw new QueueFullError(this.#most);
  }
}

/** The longest wait there is, in nanoseconds. */
const LONGEST = (1n << 63n) - 1n;

/**
 * Those who wait for one subject, first come first served.
 *
 * Everybody takes what they wait for at once, ahead of time, and is let go when their time has come:
 * so a large cost is not starved by small ones, and nobody overtakes. When the plan no longer holds,
 * since somebody left or the limits have changed, those who still wait give back what they took and
 * take it again in their order.
 */
export class Queue implements Sleeper {
  readonly #subject: Subject;
  readonly #timetable: Timetable;
  readonly #crowd: Crowd;
  readonly #exact: boolean;
  #waiting: Waiter[] = [];
  /** Whether the plan will be made anew at the end of this task. */
  #isStale = false;

  constructor(subject: Subject, timetable: Timetable, crowd: Crowd, exact: boolean) {
    this.#subject = subject;
    this.#timetable = timetable;
    this.#crowd = crowd;
    this.#exact = exact;
  }

  /** Whether nobody waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get wakeAt(): Time | undefined {
    return this.#waiting[0]?.readyAt;
  }

  /** Takes `cost` ahead of time and waits for it. Tells how long that takes, in milliseconds, or nothing if
   * it is refused. */
  join(
    cost: Amount,
    now: Time,
    options: AcquireOptions,
    tell: (waitMs: number | undefined) => void,
  ): Promise<void> {
    const { signal, timeoutMs } = options;
    const deadline =
      timeoutMs === undefined || timeoutMs === Infinity
        ? undefined
        : nanosOf(now, "now") + nanosOf(timeoutMs, "timeoutMs");
    let slot: number;
    try {
      this.#crowd.check();
      slot = this.#take(cost, deadline, now);
    } catch (error) {
      tell(undefined);
      throw error;
    }
    this.#crowd.waiting += 1;
    const readyAt = time<Time>(At.result + 4, this.#exact);
    tell(float(At.result + 2));
    return new Promise<void>((resolve, reject) => {
      const detach = signal ? onAbort(signal, (reason) => this.#leave(waiter, reason)) : () => {};
      const waiter: Waiter = { cost, deadline, slot, readyAt, settled: false, resolve, reject, detach };
      this.#waiting.push(waiter);
      // Whoever has nothing to wait for is let go at once.
      if (this.#waiting.length === 1) this.wake(now);
    });
  }

  /** Lets go everybody whose time has come. */
  wake(now: Time): void {
    this.#letGo(now);
    this.#timetable.plan(this);
  }

  /** Does something that changes who has to wait how long. */
  around(now: Time, change: () => void): void {
    if (this.#waiting.length === 0) {
      change();
      return;
    }
    this.release(now);
    try {
      change();
    } finally {
      this.rejoin(now);
    }
  }

  /** Has everybody give back what they took ahead of time; {@link rejoin} must follow. */
  release(now: Time): void {
    this.#letGo(now);
    this.#waiting = this.#waiting.filter((waiter) => !waiter.settled);
    for (let index = this.#waiting.length - 1; index >= 0; index -= 1) {
      cancel(this.#subject, this.#waiting[index]!.slot, now);
    }
  }

  /** Has everybody take it again, in their order. */
  rejoin(now: Time): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      try {
        waiter.slot = this.#take(waiter.cost, waiter.deadline, now);
        waiter.readyAt = time(At.result + 4, this.#exact);
        this.#waiting.push(waiter);
      } catch (error) {
        this.#settle(waiter).reject(error);
      }
    }
    this.wake(now);
  }

  /** Takes `cost` ahead of time, if that is ever possible. */
  #take(cost: Amount, deadline: bigint | undefined, now: Time): number {
    const isThere = this.#subject.with(Op.Peek, cost, now) === 1;
    const wait = isThere ? 0 : float(At.result + 4);
    if (wait === Infinity) throw new RateLimitedError("never", wait);
    const left = deadline === undefined ? LONGEST : deadline - nanosOf(now, "now");
    // What is there needs no time.
    put(At.maxWait, isThere ? LONGEST : left > 0n ? left : 1n);
    const slot = this.#subject.with(Op.Reserve, cost, now);
    if (slot >= 0) return slot;
    throw new RateLimitedError("not_in_time", float(At.result));
  }

  #letGo(now: Time): void {
    let count = 0;
    for (const waiter of this.#waiting) {
      if (!waiter.settled) {
        if (waiter.readyAt > now) break;
        engine.reservationDrop(waiter.slot);
        this.#settle(waiter).resolve();
      }
      count += 1;
    }
    this.#waiting.splice(0, count);
  }

  #settle(waiter: Waiter): Waiter {
    waiter.settled = true;
    waiter.detach();
    this.#crowd.waiting -= 1;
    return waiter;
  }

  #leave(waiter: Waiter, reason: unknown): void {
    const now = this.#timetable.now();
    this.#settle(waiter).reject(reason);
    cancel(this.#subject, waiter.slot, now);
    // Many may leave at once: the others move up once, after all of them.
    if (this.#isStale) return;
    this.#isStale = true;
    queueMicrotask(() => {
      this.#isStale = false;
      const now = this.#timetable.now();
      this.release(now);
      this.rejoin(now);
    });
  }
}

function cancel(subject: Subject, slot: number, now: Time): void {
  put(At.number, BigInt(slot));
  subject.at(Op.Cancel, now);
}
