/** Limits in a store: state as bytes, and commands on it as a pure function. */
import { type Part, amountPart, ask, bytesOf, bytesPart, text, timeOf, timePart } from "./ask.js";
import type { Decision } from "./decision.js";
import { RateLimitedError, errorOf, typeError } from "./errors.js";
import { type Inheritance, inheritanceNumber } from "./inheritance.js";
import type { Limits, LimitsLike } from "./limits.js";
import { Reservation } from "./reservation.js";
import type { LimitStatus } from "./subject.js";
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
  /** The limits in force, which may be the stored ones, as text. */
  readonly limits: string;
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

/** What can be asked; `engine/src/ask/mod.rs` has the same numbers. */
const Ask = { Step: 0, Across: 1, Slot: 2, Drop: 3, Share: 4 } as const;

/** Whose reservations are that a store holds. */
const STORED = { drop: (slot: number) => ask("stored", Ask.Drop, [slot]) };

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

/** What a quick check finds. */
export interface QuickStep {
  readonly allowed: boolean;
  readonly write: Uint8Array | null;
  readonly keepMs: number;
}

/** A check in a fraction of the time, for those who use stores the most. */
export interface Quick {
  /** As {@link step} of a check; `undefined` where it has to be asked otherwise. */
  check(
    stored: Uint8Array | null,
    desired: Desired & { readonly limits: Limits },
    nowUs: number,
    cost: number,
  ): QuickStep | undefined;
  /** The decision of the check that was the last thing to be asked: so it can be read while what it wrote is
   * on its way. */
  decision(step: QuickStep, limits: Limits): Decision;
}

/** @internal What only the native build has. */
export const native: { quick?: Quick } = {};

/** As {@link step}, for several commands in their order with one reading and one writing. */
export function stepBatch<C extends Command>(
  stored: Uint8Array | null,
  desired: Desired,
  now: Time,
  commands: readonly C[],
): BatchStep<Outcome<C>> {
  const limits = textOf(desired.limits);
  const [standing, ...outcomes] = ask(
    "stored",
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
  const limits = keys.map((key) => textOf(key.desired.limits));
  const groups = ask(
    "stored",
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

/** The part of limits that one of several instances may use by itself, as text: amounts are divided by their
 * number and rounded down, but are at least 1; the rate of greedy bandwidths is divided exactly. */
export function shareOf(limits: LimitsLike, instances: number): string {
  return ask("stored", Ask.Share, [textOf(limits), amountPart(instances, "instances")])[0]![0]!;
}

/** The hash slot of a key on a Redis Cluster. */
export function hashSlot(key: string): number {
  return Number(ask("stored", Ask.Slot, [text(key, "key")])[0]![0]);
}

function wantedParts(stored: Uint8Array | null, desired: Desired, limits: string): Part[] {
  if (stored !== null && !(stored instanceof Uint8Array)) throw typeError("stored", "bytes or null", stored);
  return [
    limits,
    desired.version === undefined ? undefined : amountPart(desired.version, "version"),
    inheritanceNumber(desired.inheritance ?? "as-is"),
    bytesPart(stored),
  ];
}

function standingOf(parts: string[], wanted: string): Standing {
  const [version, epoch, consumed, inForce, bytes, timeToLive, keep] = parts as [string, string, string, string, ...string[]];
  return {
    write: keep ? { bytes: bytesOf(bytes!), timeToLiveMs: timeToLive === "" ? null : Number(timeToLive), keepMs: Number(keep) } : null,
    limits: inForce === "" ? wanted : inForce,
    version: version === "" ? null : BigInt(version),
    epoch: Number(epoch),
    consumed: BigInt(consumed),
  };
}

/** Limits as text, in which all that they are is said. */
function textOf(limits: LimitsLike): string {
  const isText = typeof limits === "string";
  if (!isText && (typeof limits !== "object" || (limits ?? {}).toString === Object.prototype.toString)) {
    throw typeError("limits", "text, a limit or an array of them", limits);
  }
  return text(Array.isArray(limits) ? limits.map(textOf).join("; ") : `${limits}`, "limits");
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

function reservationOf([slot, amount, wait, readyAt]: string[]): Reservation | Error {
  if (slot === "") return new RateLimitedError("not_in_time", waitOf(amount!) ?? Infinity);
  const times = { wait: timeOf<number>(wait!, false), readyAt: timeOf<number>(readyAt!, false) };
  return new Reservation(STORED, Number(slot), { amount: Number(amount), ...times }, STORED.drop);
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
