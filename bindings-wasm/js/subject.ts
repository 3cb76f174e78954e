import type { Clock } from "./clock.js";
import { At, Op, RECORD, engine, put } from "./engine.js";
import { TokenweirError, checked, typeError } from "./errors.js";
import { type Limits } from "./limits.js";
import { Reservation } from "./reservation.js";
import { type Amount, type Time, amount, putAmount, putInstant, putPeriod, wait } from "./time.js";

/** What becomes of the tokens when limits are replaced: see `update` and `replace`. */
export type Inheritance = "as-is" | "proportional" | "additive" | "reset";
const INHERITANCES: readonly Inheritance[] = ["as-is", "proportional", "additive", "reset"];

/** How one limit stands. */
export interface LimitStatus<T extends Time = number> {
  /** The most that can be there at once. */
  readonly limit: T;
  /** What is there, rounded down: negative while reservations are owed. */
  readonly available: T;
  /** How long until the limit is full, rounded up; `null` for never. */
  readonly resetAfter: T | null;
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
    return slot < 0 ? null : Reservation.made<T>(owner, slot, exact);
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
}

/** The longest wait there is, in nanoseconds. */
const LONGEST = (1n << 63n) - 1n;

/** The number of an inheritance. */
export function inheritanceNumber(inheritance: Inheritance): number {
  const number = INHERITANCES.indexOf(inheritance);
  if (number < 0) {
    throw typeError("inheritance", INHERITANCES.map((name) => `"${name}"`).join(", "), inheritance);
  }
  return number;
}

/** Replaces the limits of a group. */
export function update(group: number, limits: Limits, inheritance: Inheritance, now: Time): void {
  const number = inheritanceNumber(inheritance);
  put(At.number, BigInt(limits.slot) | (BigInt(number) << 64n));
  putInstant(At.now, now);
  checked(engine.run(group, 0, Op.Update));
}


