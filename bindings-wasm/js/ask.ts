import { At, engine, float, put } from "./engine.js";
import { coded, errorOf, typeError } from "./errors.js";
import { type Amount, type Time, nanosOf } from "./time.js";

/** What can be asked; `engine/src/ask/mod.rs` has the same numbers. */
export const Ask = {
  Policy: 0,
  Fields: 1,
  Problem: 2,
  Received: 3,
  Date: 4,
  Address: 5,
  Backoff: 6,
  Delay: 7,
  Timer: 8,
  Step: 9,
  Across: 12,
  Slot: 13,
} as const;

const PART = "\uffff";
const GROUP = "\ufffe";

/** What a question is made of. */
export type Part = string | number | bigint | undefined;

/** Asks a question: parts, then groups of parts. The answer is its groups, the first without a
 * name. */
export function ask(question: number, parts: readonly Part[], groups: readonly (readonly Part[])[] = []): string[][] {
  return answer(question, parts, groups)
    .split(GROUP)
    .map((group) => group.split(PART));
}

/** As {@link ask}, for an answer that is one text. */
export function answer(question: number, parts: readonly Part[], groups: readonly (readonly Part[])[] = []): string {
  const text = [parts, ...groups].map((group) => group.map((part) => part ?? "").join(PART)).join(GROUP);
  const answer = engine.ask(question, text);
  if (answer.startsWith("!")) throw errorOf(answer.slice(1));
  return answer.slice(1);
}

/** A text as part of a question. What separates parts is no character, and replaced as such. */
export function text(value: string, argument: string): string {
  if (typeof value !== "string") throw typeError(argument, "a string", value);
  return value.replace(/[\ufffe\uffff]/g, "\ufffd");
}

/** As {@link text}, of one that may be absent. */
export function optionalText(value: string | undefined, argument: string): string | undefined {
  return value === undefined ? undefined : `~${text(value, argument)}`;
}

/** An amount as part of a question. */
export function amountPart(value: Amount, argument: string): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw typeError(argument, "a number or a bigint", value);
  if (!Number.isSafeInteger(value)) {
    throw coded(new RangeError(`${argument}: ${value} is no whole number that is exact`), "not_an_integer");
  }
  return BigInt(value);
}

/** A time as part of a question. */
export function timePart(value: Time | null | undefined, argument: string): bigint | "never" | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === Infinity) return "never";
  return nanosOf(value, argument);
}

/** Bytes as part of a question. */
export function bytesPart(value: Uint8Array | null | undefined): string | undefined {
  if (value == null) return undefined;
  let text = "~";
  for (const byte of value) text += String.fromCharCode(0x100 + byte);
  return text;
}

/** The bytes of an answer. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at) & 0xff;
  return bytes;
}

/** Nanoseconds of an answer as the kind of time that was given: for a number of milliseconds rounded
 * up. */
export function timeOf<T extends Time>(nanos: string, exact: boolean): T {
  const value = BigInt(nanos);
  return (exact ? value : millis(value)) as T;
}

/** The milliseconds of nanoseconds, rounded up where they are not exact. */
function millis(nanos: bigint): number {
  put(At.result, nanos);
  engine.millis();
  return float(At.result);
}
