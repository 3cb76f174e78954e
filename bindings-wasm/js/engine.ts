import { load } from "#core";

/**
 * The compiled core, as both builds offer it: functions of numbers, and the words through which all
 * else passes (see `engine/src/words.rs`).
 */
export interface Engine {
  /** 1 if the cost was taken, 0 if not; −1 if nothing was done since the arguments are not the usual
   * ones, or there is no such group: then {@link Op.Try} looks at them. The cost is a number of 32 bits,
   * which passes as it is; whatever else a cost can be passes as words. */
  decide(group: number, entry: number, cost: number, now: number): number;
  /** As `decide` by entry 0 and of a cost of 1. */
  decideOne(group: number, now: number): number;
  /** As `decide`; leaves a decision as the result. */
  check(group: number, entry: number, cost: number, now: number): number;
  /** Performs one of the operations {@link Op}. */
  run(group: number, entry: number, operation: number): number;
  groupNew(limits: number): number;
  groupDrop(group: number): void;
  entryNew(group: number): number;
  entryDrop(group: number, entry: number): void;
  /** One decision over the entries of the records. */
  decideAll(): number;
  reservationDrop(reservation: number): void;
  limitsParse(text: string): number;
  limitsAdd(name: string): number;
  limitsBuild(): number;
  limitsLook(limits: number): number;
  limitsText(limits: number): string;
  limitsDrop(limits: number): void;
  nanos(millis: number): number;
  nanosExact(millis: number): number;
  /** Adds the milliseconds to a result that is in nanoseconds. */
  millis(): void;
  faultText(): string;
  /** A check of stored limits without text, see `engine/src/stored.rs`; only in the native build, which uses
   * stores the most. */
  storedCheck?(limits: number, mode: number, cost: number, nowUs: number, length: number): number;
  /** The group of a name that all threads share; only where threads share anything. */
  groupShared?(limits: number, name: string): number;
  /** The limits of a group as it has them now. */
  groupLimits?(group: number): number;
  /** Milliseconds by a clock that all threads read alike. */
  sharedNow?(): number;
  /** The words; called again when the memory they are in has grown. */
  words(length: number): BigInt64Array;
}

/** The operations on one entry; `engine/src/run.rs` has the same numbers. */
export const Op = {
  Try: 0,
  Check: 1,
  Peek: 2,
  UpTo: 3,
  Anyway: 4,
  Reserve: 5,
  Cancel: 6,
  Refund: 7,
  ForceAdd: 8,
  Reset: 9,
  Look: 10,
  Levels: 11,
  Restore: 12,
  Permits: 13,
  Update: 14,
  Standing: 15,
} as const;

/** Where arguments and results are among the words. */
export const At = {
  cost: 0,
  now: 2,
  maxWait: 4,
  number: 6,
  result: 8,
  records: 18,
} as const;

/** How many words there are. */
export const WORDS = 224;

/** Words of a record of how a limit stands, and of a level. */
export const RECORD = 6;

/** A group that there is not, so that deciding by it is of no use. */
export const NO_GROUP = 2 ** 30 - 1;

/** The engine in use: of WebAssembly, or of the native build. */
export const engine: Engine = load();

/** The calls that decide, which cost less when they are no properties. */
export const { decide, decideOne } = engine;

let ints: BigInt64Array = new BigInt64Array(0);
let floats: Float64Array = new Float64Array(0);
let bytes: Uint8Array = new Uint8Array(0);

function refresh(): void {
  // A view of memory that has grown since has no length.
  if (ints.length === 0) {
    ints = engine.words(WORDS);
    floats = new Float64Array(ints.buffer, ints.byteOffset, ints.length);
    bytes = new Uint8Array(ints.buffer, ints.byteOffset, ints.byteLength);
  }
}

const LARGEST = (1n << 127n) - 1n;

/** Writes an integer of two words; beyond 128 bits it stays as far out of range as it can. */
export function put(at: number, value: bigint): void {
  refresh();
  const held = value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
  ints[at] = BigInt.asIntN(64, held);
  ints[at + 1] = held >> 64n;
}

/** The integer of two words. */
export function integer(at: number): bigint {
  refresh();
  return (ints[at + 1]! << 64n) | BigInt.asUintN(64, ints[at]!);
}

/** The integer of a result that is an amount. */
export function exactAmount(at: number): bigint {
  refresh();
  return ints[at]!;
}

/** The integer of a result that is a time; −1 for never. */
export function exactTime(at: number): bigint {
  refresh();
  return ints[at]!;
}

/** The float of a result. */
export function float(at: number): number {
  refresh();
  return floats[at + 1]!;
}

/** Writes bytes from a word on; whether there is room for them. */
export function putBytes(at: number, value: Uint8Array): boolean {
  refresh();
  if (at * 8 + value.length > bytes.length) return false;
  bytes.set(value, at * 8);
  return true;
}

/** A copy of bytes from a word on. */
export function takeBytes(at: number, length: number): Uint8Array {
  refresh();
  return bytes.slice(at * 8, at * 8 + length);
}
