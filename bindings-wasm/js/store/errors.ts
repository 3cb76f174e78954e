import { TokenweirError } from "../index.js";

/**
 * The store could not decide. This is no refusal: the limits may or may not have had the cost.
 *
 * - `store_failed`: it answered with an error, or could not be reached; see `cause`.
 * - `store_timeout`: there was no answer in time. What was asked may still be carried out: at most the
 *   cost is lost, nothing is granted twice.
 * - `store_open`: it has failed so often of late that it is left alone for a while.
 * - `store_contended`: others changed the key at every attempt until the deadline.
 */
export class StoreError extends TokenweirError {
  constructor(code: "store_failed" | "store_timeout" | "store_open" | "store_contended", message: string, cause?: unknown) {
    super(code, message);
    this.name = "StoreError";
    if (cause !== undefined) this.cause = cause;
  }
}

/** A value of the wrong type. */
export function wrongType(argument: string, expected: string, value: unknown): TypeError {
  const found = value === null ? "null" : typeof value;
  return Object.assign(new TypeError(`${argument}: expected ${expected}, got ${found}`), { code: "wrong_type" });
}

/** A number that is too small, too large or none. */
export function outOfRange(argument: string, expected: string, value: unknown): RangeError {
  return Object.assign(new RangeError(`${argument}: ${value} is not ${expected}`), { code: "out_of_range" });
}

/** A number from `least` to `most`. */
export function inRange(argument: string, value: number, least: number, most: number): number {
  if (typeof value !== "number") throw wrongType(argument, "a number", value);
  if (!(value >= least && value <= most)) throw outOfRange(argument, `from ${least} to ${most}`, value);
  return value;
}

/** A key. */
export function checkedKey(key: string): string {
  if (typeof key !== "string") throw wrongType("key", "a string", key);
  return key;
}
