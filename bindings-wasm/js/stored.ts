/** Limits in a store: state as bytes, and commands on it as a pure function. */
import { Ask, type Part, amountPart, ask, bytesOf, bytesPart, text, timeOf, timePart } from "./ask.js";
import { type Decision, decision } from "./decision.js";
import { At, engine, float, put, putBytes, takeBytes } from "./engine.js";
import { RateLimitedError, checked, errorOf, typeError } from "./errors.js";
import { Limits, type LimitsLike } from "./limits.js";
import { Reservation } from "./reservation.js";
import { type Inheritance, type LimitStatus, inheritanceNumber } from "./subject.js";
import type { Amount, Time } from "./time.js";

/**
 * The limits wanted under a key.
 *
 * Without a version they count only where nothing is stored yet. With one they replace stored limits of a
 * lower version, or of none.
 */
export interface Desired {
  limits: LimitsLike;
  version?: Amount;
  inheritance?: Inheritance;
}

/** What to do with the limits of a key: each is the operation of `Limiter` of the same name. */
export type Command =
  | { readonly type: "check" | "peek" | "acquireUpTo" | "acquireIgnoringLimits" | "refund" | "forceAdd"; readonly cost: Amount }
  | { readonly type: "reserve"; readonly cost: Amount; readonly maxWait?: Time }
  | { readonly type: "cancel"; readonly reservation: Reservation<Time> }
  | { readonly type: "reset" | "statuses" };

/** The answer to a command of a type. */
export type Outcome<C extends Command> = C["type"] extends "check" | "peek"
  ? Decision
  : C["type"] extends "acquireUpTo" | "acquireIgnoringLimits"
    ? number
    : C["type"] extends "reserve"
      ? Reservation | null
      : C["type"] extends "cancel"
        ? boolean
        : C["type"] extends "statuses"
          ? LimitStatus[]
          : undefined;

/** How a key stands after a step. */
export interface Standing {
  /** What to write; `null` if what is stored, or its absence, stays as it is. */
  readonly write: {
    readonly bytes: Uint8Array;
    /** How long they matter, in milliseconds rounded up; `null` if they must not expire. */
    readonly timeToLiveMs: number | null;
    /** How long a store keeps them, in milliseconds: that and a margin, or a year. */
    readonly keepMs: number;
  } | null;
  /** The limits in force, which may be the stored ones. */
  readonly limits: Limits;
  /** The version in force. */
  readonly version: bigint | null;
  /** Changes whenever there is more than a caller who was refused has been told. */
  readonly epoch: number;
  /** All that was ever taken under this key. */
  readonly consumed: bigint;
}

/** The result of {@link step}. */
export interface Step<O> extends Standing {
  /** The answer. Amounts are numbers and waits milliseconds. */
  readonly outcome: O;
}

/** The result of {@link stepBatch}. */
export interface BatchStep<O> extends Standing {
  /** The answer to each command, or the error of one that could not be run: a
   * {@link RateLimitedError} for a reservation that would have to wait too long. */
  readonly outcomes: (O | Error)[];
}

/** One of several keys: what is stored under it, the limits wanted there, and what to take. */
export interface KeyDemand {
  readonly stored: Uint8Array | null;
  readonly desired: Desired;
  readonly cost: Amount;
}

/** Whose reservations are that a store holds. */
const STORED = {};

/**
 * Runs one command on the stored state of a key, or on a new one where nothing is stored.
 *
 * `now` is by a clock that all users of the store share: take the store's own time.
 *
 * ```ts
 * const { outcome, write } = step(stored, { limits: "2/s; 100/day" }, now, { type: "check", cost: 2 });
 * if (write !== null) await store.set(key, write.bytes, write.keepMs);
 * ```
 */
export function step<C extends Command>(
  stored: Uint8Array | null,
  desired: Desired,
  now: Time,
  command: C,
): Step<Outcome<C>> {
  const { outcomes, ...standing } = stepBatch(stored, desired, now, [command]);
  const outcome = outcomes[0]!;
  if (!(outcome instanceof Error)) return { ...standing, outcome };
  if (outcome instanceof RateLimitedError) return { ...standing, outcome: null as Outcome<C> };
  throw outcome;
}

/** What {@link quickCheck} finds. */
export interface QuickStep {
  readonly decision: Decision;
  readonly write: Uint8Array | null;
  readonly keepMs: number;
}

/** @internal As {@link step} of a check, in a fraction of the time; `undefined` where it has to be asked
 * otherwise. */
export function quickCheck(
  stored: Uint8Array | null,
  desired: Desired & { readonly limits: Limits },
  nowUs: number,
  cost: number,
): QuickStep | undefined {
  if (engine.storedCheck === undefined || (stored !== null && !putBytes(At.records, stored))) return undefined;
  const { limits, version, inheritance = "as-is" } = desired;
  if (version !== undefined) put(At.number, BigInt(version));
  const mode = version === undefined ? -1 : inheritanceNumber(inheritance);
  const result = checked(engine.storedCheck(limits.slot, mode, cost, nowUs, stored?.length ?? -1));
  if (result < 0) return undefined;
  const length = result >> 1;
  return {
    decision: decision((result & 1) === 1, limits.names),
    write: length === 0 ? null : takeBytes(At.records, length),
    keepMs: float(At.number),
  };
}

/** As {@link step}, for several commands in their order with one reading and one writing. */
export function stepBatch<C extends Command>(
  stored: Uint8Array | null,
  desired: Desired,
  now: Time,
  commands: readonly C[],
): BatchStep<Outcome<C>> {
  const limits = Limits.of(desired.limits);
  const [standing, ...outcomes] = ask(
    Ask.Step,
    [timePart(now, "now"), ...wantedParts(stored, desired, limits)],
    commands.map((command) => [text(command.type, "command"), ...argumentParts(command)]),
  );
  return {
    ...standingOf(standing!, limits),
    outcomes: outcomes.map((parts, index) => {
      const first = parts[0]!;
      if (first.startsWith("!")) return errorOf(first.slice(1));
      parts[0] = first.slice(1);
      return read(commands[index]!, parts) as Outcome<C>;
    }),
  };
}

/** Takes each key's cost from all of its limits, if all limits of all keys have it; otherwise nothing is
 * taken anywhere, and the decisions of the other keys say what they would have allowed. */
export function stepAcross(keys: readonly KeyDemand[], now: Time): Step<Decision>[] {
  const limits = keys.map((key) => Limits.of(key.desired.limits));
  const groups = ask(
    Ask.Across,
    [timePart(now, "now")],
    keys.map((key, index) => [
      ...wantedParts(key.stored, key.desired, limits[index]!),
      amountPart(key.cost, "cost"),
    ]),
  );
  return keys.map((_, index) => ({
    ...standingOf(groups[2 * index]!, limits[index]!),
    outcome: decisionOf(groups[2 * index + 1]!),
  }));
}

/** @internal Throws if the arguments of a command are out of range, whatever limits it is for. */
export function checkCommand(command: Command): void {
  const { cost = 1, maxWait } = command as { cost?: Amount; maxWait?: Time };
  const isPlain = typeof cost === "number" && Number.isSafeInteger(cost) && cost >= 1;
  if (isPlain && maxWait === undefined) return;
  const type = command.type === "refund" || command.type === "forceAdd" ? "refund" : "peek";
  step(null, { limits: "1/s" }, 0n, { type, cost });
  if (maxWait !== undefined) step(null, { limits: "1/s" }, 0n, { type: "reserve", cost: 1, maxWait });
}

/** The hash slot of a key on a Redis Cluster. */
export function hashSlot(key: string): number {
  return Number(ask(Ask.Slot, [text(key, "key")])[0]![0]);
}

function wantedParts(stored: Uint8Array | null, desired: Desired, limits: Limits): Part[] {
  if (stored !== null && !(stored instanceof Uint8Array)) throw typeError("stored", "bytes or null", stored);
  return [
    limits.slot,
    desired.version === undefined ? undefined : amountPart(desired.version, "version"),
    inheritanceNumber(desired.inheritance ?? "as-is"),
    bytesPart(stored),
  ];
}

function standingOf(parts: string[], wanted: Limits): Standing {
  const [version, epoch, consumed, inForce, bytes, timeToLive, keep] = parts as [string, string, string, string, ...string[]];
  return {
    write: keep ? { bytes: bytesOf(bytes!), timeToLiveMs: timeToLive === "" ? null : Number(timeToLive), keepMs: Number(keep) } : null,
    limits: inForce === "" ? wanted : Limits.at(Number(inForce)),
    version: version === "" ? null : BigInt(version),
    epoch: Number(epoch),
    consumed: BigInt(consumed),
  };
}

function argumentParts(command: Command): Part[] {
  switch (command.type) {
    case "reset":
    case "statuses":
      return [undefined, undefined];
    case "cancel": {
      if (!(command.reservation instanceof Reservation)) {
        throw typeError("reservation", "a reservation", command.reservation);
      }
      return [undefined, command.reservation.peek(STORED) ?? -1];
    }
    case "reserve":
      return [
        amountPart(command.cost, "cost"),
        command.maxWait === undefined ? undefined : timePart(command.maxWait, "maxWait"),
      ];
    default:
      return [amountPart(command.cost, "cost"), undefined];
  }
}

const waitOf = (wait: string) => (wait === "never" ? null : timeOf<number>(wait, false));

function read(command: Command, parts: string[]): unknown {
  switch (command.type) {
    case "check":
    case "peek":
      return decisionOf(parts);
    case "acquireUpTo":
      return Number(parts[0]);
    case "acquireIgnoringLimits":
      return waitOf(parts[0]!);
    case "reserve":
      return reservationOf(parts);
    case "cancel":
      return parts[0] === "1";
    case "statuses":
      return statusesOf(parts);
    default:
      return undefined;
  }
}

function reservationOf([slot, taken, wait, readyAt]: string[]): Reservation | Error {
  if (slot === "") return new RateLimitedError("not_in_time", waitOf(taken!) ?? Infinity);
  const [waitMs, readyAtMs] = [timeOf<number>(wait!, false), timeOf<number>(readyAt!, false)];
  return new Reservation(STORED, Number(slot), Number(taken), waitMs, readyAtMs);
}

function decisionOf([allowed, limit, remaining, retryAfter, resetAfter, scope]: string[]): Decision {
  const retryAfterMs = waitOf(retryAfter!) ?? Infinity;
  return {
    allowed: allowed === "1",
    limit: Number(limit),
    remaining: Number(remaining),
    retryAfterMs,
    resetAfterMs: waitOf(resetAfter!) ?? Infinity,
    scope: scope!,
    never: retryAfterMs === Infinity,
  };
}

function statusesOf(parts: string[]): LimitStatus[] {
  const statuses = [];
  for (let at = 0; at + 2 < parts.length; at += 3) {
    statuses.push({
      limit: Number(parts[at]),
      available: Number(parts[at + 1]),
      resetAfter: waitOf(parts[at + 2]!),
    });
  }
  return statuses;
}
