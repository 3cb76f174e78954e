import { At, engine, exactAmount } from "./engine.js";

/**
 * An error of a limiter that is no misuse of an argument.
 *
 * A misuse is a `RangeError` or a `TypeError` whose message begins with the name of the argument. All
 * have a `code`, which is the same in every language and release.
 */
export class TokenweirError extends Error {
  /** The stable code. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "TokenweirError";
    this.code = code;
  }
}

/** Limits written in a way that cannot be read; nothing was made. */
export class LimitSyntaxError extends TokenweirError {
  /** Where, in characters; the first is column 1. */
  readonly column: number;

  constructor(message: string, column: number) {
    super("limit_syntax", message);
    this.name = "LimitSyntaxError";
    this.column = column;
  }
}

/** Why a cost was not granted. */
const REFUSALS = {
  never: () => "the cost is above what the limits can ever grant",
  not_in_time: (millis: number) => `the cost would be granted in ${millis} ms, which is not in time`,
  refused_by_service: (millis: number) => `the service refuses calls for ${millis} ms more`,
};

/** The cost was not granted, or would not be in time; nothing was taken. */
export class RateLimitedError extends TokenweirError {
  /** How long until the cost would be granted, in milliseconds rounded up; infinite for never. */
  readonly retryAfterMs: number;

  constructor(code: "not_in_time" | "never" | "refused_by_service", retryAfterMs: number) {
    super(code, REFUSALS[code](retryAfterMs));
    this.name = "RateLimitedError";
    this.retryAfterMs = retryAfterMs;
  }
}

/** Too many are waiting already; nothing was taken. */
export class QueueFullError extends TokenweirError {
  /** How many may wait. */
  readonly maxWaiting: number;

  constructor(maxWaiting: number) {
    super("queue_full", `${maxWaiting} are waiting already, no more may`);
    this.name = "QueueFullError";
    this.maxWaiting = maxWaiting;
  }
}

/** An error with a code, for those that are not of a class of ours. */
export function coded<E extends Error>(error: E, code: string): E & { readonly code: string } {
  return Object.assign(error, { code });
}

/** The error of the call that has just failed, whose amount or time is called `argument` in it. */
export function fault(argument?: string): Error {
  return errorOf(engine.faultText(), argument);
}

/** The error that a fault of the engine describes. */
export function errorOf(description: string, argument?: string): Error {
  const [name, code, ...message] = description.split("\n") as [string, string, ...string[]];
  const text = message.join("\n");
  if (code === "limit_syntax") return new LimitSyntaxError(text, Number(exactAmount(At.result)));
  if (name === "") return new TokenweirError(code, text);
  const named = name === "cost" || name === "time" ? (argument ?? name) : name;
  return coded(new RangeError(`${named}: ${text}`), code);
}

/** The number of a call, unless it failed. */
export function checked(result: number, argument?: string): number {
  if (result === -1) throw fault(argument);
  return result;
}

/** A value of the wrong type. */
export function typeError(argument: string, expected: string, value: unknown): TypeError {
  const found = value === null ? "null" : typeof value;
  return coded(new TypeError(`${argument}: expected ${expected}, got ${found}`), "wrong_type");
}
