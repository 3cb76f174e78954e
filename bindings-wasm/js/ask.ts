import { coded, errorOf, typeError } from "./errors.js";
import type { Amount, Time } from "./time.js";

/** Answers a question of text by the compiled core, see `engine/src/ask/mod.rs`. */
export type Asked = (operation: number, question: string) => string;

/** What is asked beside limiters, each of a part of the core that is loaded by itself. */
export const asked: { http?: Asked; backoff?: Asked; stored?: Asked } = {};

const PART = "\uffff";
const GROUP = "\ufffe";

/** What a question is made of. */
export type Part = string | number | bigint | undefined;

/** Asks a question: parts, then groups of parts. The answer is its groups, the first without a
 * name. */
export function ask(
  of: keyof typeof asked,
  operation: number,
  parts: readonly Part[],
  groups: readonly (readonly Part[])[] = [],
): string[][] {
  return answer(of, operation, parts, groups)
    .split(GROUP)
    .map((group) => group.split(PART));
}

/** As {@link ask}, for an answer that is one text. */
export function answer(
  of: keyof typeof asked,
  operation: number,
  parts: readonly Part[],
  groups: readonly (readonly Part[])[] = [],
): string {
  const question = [parts, ...groups].map((group) => group.map((part) => part ?? "").join(PART)).join(GROUP);
  const answer = asked[of]!(operation, question);
  if (answer.startsWith("+")) return answer.slice(1);
  throw errorOf(answer.slice(1));
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

const float = new Float64Array(1);
const bits = new BigUint64Array(float.buffer);

/** A time as part of a question: nanoseconds, or the bits of a float of milliseconds. */
export function timePart(value: Time | null | undefined, argument: string): string | bigint | undefined {
  if (value === undefined || typeof value === "bigint") return value;
  if (value === null || value === Infinity) return "never";
  if (typeof value !== "number") throw typeError(argument, "milliseconds or a bigint", value);
  float[0] = value;
  return `f${bits[0]}`;
}

/** Bytes as part of a question. */
export function bytesPart(value: Uint8Array | null | undefined): string | undefined {
  if (value == null) return undefined;
  return `~${Array.from(value, (byte) => String.fromCharCode(0x100 + byte)).join("")}`;
}

/** The bytes of an answer. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at) & 0xff;
  return bytes;
}

/** A time of an answer as the kind that was given: nanoseconds, or milliseconds rounded up. */
export function timeOf<T extends Time>(answer: string, exact: boolean): T {
  const [nanos, millis] = answer.split(":") as [string, string];
  if (exact) return BigInt(nanos) as T;
  bits[0] = BigInt(millis);
  return float[0] as T;
}
