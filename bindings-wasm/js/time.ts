import { At, engine, exactAmount, exactTime, float, put } from "./engine.js";
import { coded, typeError } from "./errors.js";
import { checked } from "./fault.js";

/**
 * An instant, a period or a wait: a number of milliseconds, of which fractions are exact to the
 * nanosecond, or a bigint of nanoseconds.
 */
export type Time = number | bigint;

/** The kind of a time: all numbers, or all bigints. */
export type Kind<T extends Time> = T extends bigint ? bigint : number;

/** A number of tokens or permits; a bigint where it can exceed 2^53. */
export type Amount = number | bigint;

/** Writes an amount. */
export function putAmount(at: number, value: Amount, argument: string): void {
  if (typeof value === "bigint") {
    put(at, value);
  } else if (typeof value !== "number") {
    throw typeError(argument, "a number or a bigint", value);
  } else if (!Number.isSafeInteger(value)) {
    throw notAnAmount(argument, value);
  } else {
    put(at, BigInt(value));
  }
}

function notAnAmount(argument: string, value: number): RangeError {
  return Number.isInteger(value)
    ? coded(
        new RangeError(`${argument}: ${value} is not exact as a number, give a bigint`),
        "unsafe_integer",
      )
    : coded(new RangeError(`${argument}: ${value} is no whole number`), "not_an_integer");
}

/** Writes a reading of a clock, to the nearest nanosecond. */
export function putInstant(at: number, value: Time, argument = "now"): void {
  put(at, nanosOf(value, argument));
}

/** A reading of a clock or a time-out in nanoseconds, to the nearest one. */
export function nanosOf(value: Time, argument: string): bigint {
  return nanos(value, argument, engine.nanos);
}

/** Writes a period or a wait, which must be a whole number of nanoseconds. */
export function putPeriod(at: number, value: Time, argument: string): void {
  put(at, nanos(value, argument, engine.nanosExact));
}

function nanos(value: Time, argument: string, convert: (millis: number) => number): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw typeError(argument, "milliseconds or a bigint", value);
  checked(convert(value), `${argument} of ${value} ms`);
  return BigInt.asUintN(64, exactAmount(At.result));
}

/** A result that is an amount. */
export function amount<T extends Time>(at: number, exact: boolean): T {
  return (exact ? exactAmount(at) : float(at)) as T;
}

/** A result that is a time. */
export function time<T extends Time>(at: number, exact: boolean): T {
  return (exact ? BigInt.asUintN(64, exactTime(at)) : float(at)) as T;
}

/** A result that is a wait; `null` is never. */
export function wait<T extends Time>(at: number, exact: boolean): T | null {
  if (float(at) === Infinity) return null;
  return time(at, exact);
}
