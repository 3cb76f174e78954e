/** Limits in a store: state as bytes, and commands on it as a pure function. */
import { type Part, amountPart, ask, bytesOf, bytesPart, text, timeOf, timePart } from "./ask.js";
import type { Decision } from "./decision.js";
import { typeError } from "./errors.js";
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

/** The result of {@link step}. */
export interface Step<O> {
  /** The answer. Amounts are numbers and waits milliseconds. */
  readonly outcome: O;
  /** What to write; `null` if what is stored, or its absence, stays as it is. */
  readonly write: {
    readonly bytes: Uint8Array;
    /** How long they matter, in milliseconds rounded up; `null` if they must not expire. */
    readonly timeToLiveMs: number | null;
  } | null;
  /** The version in force. */
  readonly version: bigint | null;
  /** Changes whenever there is more than a caller who was refused has been told. */
  readonly epoch: number;
  /** All that was ever taken under this key. */
  readonly consumed: bigint;
}

/** What can be asked; `engine/src/ask/mod.rs` has the same numbers. */
const Ask = { Step: 0, Drop: 1 } as const;

/** Whose reservations are that a store holds. */
const STORED = { drop: (slot: number) => ask("stored", Ask.Drop, [slot]) };

/**
 * Runs one command on the stored state of a key, or on a new one where nothing is stored.
 *
 * `now` is by a clock that all users of the store share: take the store's own time.
 *
 * ```ts
 * const { outcome, write } = step(stored, { limits: "2/s; 100/day" }, now, { type: "check", cost: 2 });
 * if (write !== null) await store.set(key, write.bytes, write.timeToLiveMs);
 * ```
 */
export function step<C extends Command>(
  stored: Uint8Array | null,
  desired: Desired,
  now: Time,
  command: C,
): Step<Outcome<C>> {
  if (stored !== null && !(stored instanceof Uint8Array)) throw typeError("stored", "bytes or null", stored);
  const { limits } = desired;
  const groups = ask("stored", Ask.Step, [
    text(typeof limits === "string" ? limits : `${Limits.of(limits)}`, "limits"),
    desired.version === undefined ? undefined : amountPart(desired.version, "version"),
    inheritanceNumber(desired.inheritance ?? "as-is"),
    timePart(now, "now"),
    text(command.type, "command"),
    ...argumentParts(command),
    bytesPart(stored),
  ]);
  const [outcome, [version, epoch, consumed], write] = groups as [string[], [string, string, string], string[]?];
  return {
    outcome: read(command, outcome) as Outcome<C>,
    write:
      write === undefined
        ? null
        : {
            timeToLiveMs: write[0] === "" ? null : Number(write[0]),
            bytes: bytesOf(write[1]!),
          },
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

function reservationOf([slot, amount, wait, readyAt]: string[]): Reservation | null {
  if (slot === "") return null;
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
