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

/** The error that a fault of the core describes, in the lines of `engine/src/fault.rs`. An amount or a time
 * is called `argument` in it, and the value that was refused may be given apart. */
export function errorOf(description: string, argument?: string, given?: bigint): Error {
  const [name, code, refused, ...lines] = description.split("\n") as [string, string, string];
  const value = refused === "#" ? given! : refused;
  const detail = lines.join("\n");
  if (code === "limit_syntax") return syntaxError(Number(value), detail);
  const message = detail || described(code, value);
  if (name === "") return new TokenweirError(code, message);
  const named = name === "cost" || name === "time" ? (argument ?? name) : name;
  return coded(new RangeError(`${named}: ${message}`), code);
}

function syntaxError(column: number, detail: string): LimitSyntaxError {
  const [expected, found] = detail.split("\n");
  const instead = found === undefined ? "the end of the text" : JSON.stringify(found);
  return new LimitSyntaxError(`column ${column}: expected ${expected}, found ${instead}`, column);
}

/** What the codes of the core mean; `#` is the value that was refused. Of those that end alike, what is
 * allowed is the same. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^non_positive_wait/, "at least 1 ns is needed"],
  [/^non_positive|_too_s/, "# is too small, at least 1 is needed"],
  [/negative/, "# is too small, at least 0 is needed"],
  [/^reservation_overflow/, "the wait or the debt would exceed 2^63"],
  [/^inexact/, "it is no whole number of nanoseconds"],
  [/^not_a_duration/, "a finite number from 0 is needed"],
  [/^instant/, "# is out of range, 0 to 2^64 - 1 are allowed"],
  [/^not_an_i/, "a whole number is needed"],
  [/^unsafe/, "a number above 2^53 is not exact, give a bigint"],
  [/overflow|too_l/, "# is too large, at most 2^63 - 1 is allowed"],
  [/^no_b/, "at least one limit is needed"],
  [/^too_many/, "at most 32 limits are allowed"],
  [/^dup.*id/, "the names of limits must differ"],
  [/^limit_n/, "a name has 1 to 128 bytes"],
  [/^aligned/, "an aligned limit needs a wall clock"],
  [/^adaptive/, "an adaptive bandwidth has no initial tokens of its own"],
];

function described(code: string, value: string | bigint): string {
  const found = MEANINGS.find(([pattern]) => pattern.test(code));
  return found ? found[1].replace("#", `${value === "" ? "it" : value}`) : code.replaceAll("_", " ");
}

/** A value of the wrong type. */
export function typeError(argument: string, expected: string, value: unknown): TypeError {
  const found = value === null ? "null" : typeof value;
  return coded(new TypeError(`${argument}: expected ${expected}, got ${found}`), "wrong_type");
}
