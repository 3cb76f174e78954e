import type { Clock } from "./clock.js";
import type { Decision } from "./decision.js";
import { At, Op, RECORD, engine, put } from "./engine.js";
import { TokenweirError, typeError } from "./errors.js";
import { checked } from "./fault.js";
import { type Inheritance, inheritanceNumber } from "./inheritance.js";
import type { Limits } from "./limits.js";
import { Reservation } from "./reservation.js";
import { type Amount, type Time, amount, nanosOf, putAmount, putInstant, putPeriod, time, wait } from "./time.js";

/** How one limit stands. */
export interface LimitStatus<T extends Time = number> {
  /** The most that can be there at once. */
  readonly limit: T;
  /** What is there, rounded down: negative while reservations are owed. */
  readonly available: T;
  /** How long until the limit is full, rounded up; `null` for never. */
  readonly resetAfter: T | null;
}

/** What a reply says of how a limit stands. */
export interface Standing {
  /** What is left. */
  remaining: Amount;
  /** How long until all of it is back; `null` for never. */
  reset: Time | null;
  /** How long until the call would be granted, if this limit refused it; `null` for never. */
  retryAfter?: Time | null;
  /** How long until more than what remains is there, if that is known. */
  effectiveWindow?: Time | null;
}

const dropped = new FinalizationRegistry<number>((group) => engine.groupDrop(group));

/** A new group of limits, given up together with `owner`. */
export function newGroup(owner: object, limits: Limits, clock: Clock): number {
  put(At.number, clock.isWall === true ? 1n : 0n);
  const group = checked(engine.groupNew(limits.slot));
  dropped.register(owner, group);
  return group;
}

/** The group of a name that all threads share. */
export function sharedGroup(owner: object, limits: Limits, clock: Clock, name: string): number {
  if (typeof name !== "string") throw typeError("shared", "a string", name);
  if (engine.groupShared === undefined) {
    throw new TokenweirError("sharing_unavailable", "only the native build shares limiters between threads");
  }
  put(At.number, clock.isWall === true ? 1n : 0n);
  putInstant(At.now, clock.now());
  const group = checked(engine.groupShared(limits.slot, name));
  dropped.register(owner, group);
  return group;
}

/** The entry of a group of one. */
export function newEntry(group: number, now: Time): number {
  put(At.number, 1n);
  putInstant(At.now, now);
  return checked(engine.entryNew(group));
}

/** One entry of a group and what can be asked of it, with exact arguments. */
export class Subject {
  constructor(
    readonly group: number,
    readonly entry: number,
  ) {}

  /** Performs an operation that takes an amount. */
  with(op: number, cost: Amount, now: Time, argument = "cost"): number {
    putAmount(At.cost, cost, argument);
    putInstant(At.now, now);
    return checked(engine.run(this.group, this.entry, op), argument);
  }

  /** Performs an operation that takes none. */
  at(op: number, now: Time): number {
    putInstant(At.now, now);
    return checked(engine.run(this.group, this.entry, op));
  }

  /** A reservation, or `null` if it would have to wait too long: then the wait is the result. */
  reserve<T extends Time>(
    owner: object,
    cost: Amount,
    maxWait: Time | undefined,
    now: Time,
    exact: boolean,
  ): Reservation<T> | null {
    if (maxWait === undefined) put(At.maxWait, LONGEST);
    else putPeriod(At.maxWait, maxWait, "maxWait");
    const slot = this.with(Op.Reserve, cost, now);
    if (slot < 0) return null;
    const made = {
      amount: amount<T>(At.result, exact),
      wait: time<T>(At.result + 2, exact),
      readyAt: time<T>(At.result + 4, exact),
    };
    return new Reservation<T>(owner, slot, made, engine.reservationDrop);
  }

  /** Gives a reservation back; whether it did. */
  cancel(owner: object, reservation: Reservation<Time>, now: Time): boolean {
    if (!(reservation instanceof Reservation)) {
      throw typeError("reservation", "a reservation", reservation);
    }
    const slot = reservation.take(owner);
    if (slot === undefined) return false;
    put(At.number, BigInt(slot));
    return this.at(Op.Cancel, now) === 1;
  }

  /** What is there. */
  available<T extends Time>(now: Time, exact: boolean): T {
    this.at(Op.Look, now);
    return amount(At.result, exact);
  }

  /** How long until every limit is full. */
  timeToFull<T extends Time>(now: Time, exact: boolean): T | null {
    this.at(Op.Look, now);
    return wait(At.result + 2, exact);
  }

  /** How each of the limits stands. */
  statuses<T extends Time>(count: number, now: Time, exact: boolean): LimitStatus<T>[] {
    this.at(Op.Look, now);
    return Array.from({ length: count }, (_, index) => {
      const at = At.records + index * RECORD;
      return {
        limit: amount<T>(at, exact),
        available: amount<T>(at + 2, exact),
        resetAfter: wait<T>(at + 4, exact),
      };
    });
  }

  /** How each of the limits stands after a decision about a cost. */
  standing(names: readonly string[], cost: Amount, made: Decision, decided: boolean, now: Time): Standing[] {
    const resets = this.statuses<bigint>(names.length, now, true).map((status) => status.resetAfter);
    const flags = (made.allowed ? GRANTED : 0) | (decided ? 0 : OF_ANOTHER);
    put(At.number, BigInt(Math.max(names.indexOf(made.scope), 0)) | (BigInt(flags) << 64n));
    put(At.maxWait, made.never ? -1n : nanosOf(made.retryAfterMs, "retryAfterMs"));
    this.with(Op.Standing, cost, now);
    return resets.map((reset, index) => {
      const at = At.records + index * RECORD;
      return { remaining: amount<bigint>(at, true), reset, retryAfter: wait(at + 2, true), effectiveWindow: wait(at + 4, true) };
    });
  }
}

/** What is not the limiter's own of a decision that it stands by. */
const GRANTED = 1;
const OF_ANOTHER = 2;

/** The longest wait there is, in nanoseconds. */
const LONGEST = (1n << 63n) - 1n;

/** Replaces the limits of a group. */
export function update(group: number, limits: Limits, inheritance: Inheritance, now: Time): void {
  const number = inheritanceNumber(inheritance);
  put(At.number, BigInt(limits.slot) | (BigInt(number) << 64n));
  putInstant(At.now, now);
  checked(engine.run(group, 0, Op.Update));
}
