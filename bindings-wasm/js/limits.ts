import { At, engine, float, put } from "./engine.js";
import { typeError } from "./errors.js";
import { checked } from "./fault.js";
import { type Amount, type Time, putAmount, putInstant, putPeriod } from "./time.js";

/** Where the parts of a limit are in its record. */
const Part = {
  amount: At.records,
  period: At.records + 2,
  capacity: At.records + 4,
  edge: At.records + 6,
  initial: At.records + 8,
  flags: At.records + 10,
} as const;
const CYCLE = 4;
const HAS_INITIAL = 8;
const HAS_EDGE = 16;

/** How the tokens of a bandwidth come back. */
export type Refill = "greedy" | "interval" | "aligned" | "adaptive";
const REFILLS: readonly Refill[] = ["greedy", "interval", "aligned", "adaptive"];

/** A part of some limits. Immutable. */
export abstract class Limit {
  /** The name, where one was given. */
  abstract readonly name: string | undefined;
  /** Writes this limit as the record. */
  protected abstract write(): void;

  /** The limit as text, which parses to the same. */
  toString(): string {
    return `${Limits.of(this)}`;
  }

  /** Adds this limit to those that are put together. */
  add(): void {
    this.write();
    checked(engine.limitsAdd(this.name ?? ""));
  }

  /** Checks that this limit is one. */
  protected validate(): void {
    if (this.name !== undefined && typeof this.name !== "string") {
      throw typeError("name", "a string", this.name);
    }
    build([this], (slot) => engine.limitsDrop(slot));
  }
}

/** What a bandwidth may have beyond its capacity and refill. */
export interface BandwidthOptions {
  /** A name, by which decisions and replacements refer to it. */
  name?: string;
  /** Tokens of a new bucket, instead of its capacity; more than that is allowed. */
  initialTokens?: Amount;
}

/**
 * A limit: how many tokens fit, and how they come back: `tokens` every `period`.
 *
 * ```ts
 * const bucket = new TokenBucket([
 *   Bandwidth.greedy(20, 10, 1_000), // 10 a second, at most 20 at once
 *   Bandwidth.interval(1_000, 1_000, 60_000),
 * ]);
 * ```
 */
export class Bandwidth extends Limit {
  readonly name: string | undefined;
  readonly initialTokens: Amount | undefined;

  private constructor(
    readonly refill: Refill,
    readonly capacity: Amount,
    readonly tokens: Amount,
    readonly period: Time,
    readonly firstRefill: Time | undefined,
    options: BandwidthOptions,
  ) {
    super();
    this.name = options.name;
    this.initialTokens = options.initialTokens;
    this.validate();
  }

  /** `tokens` every `period`, each as soon as its share of the period has passed. */
  static greedy(capacity: Amount, tokens: Amount, period: Time, options: BandwidthOptions = {}): Bandwidth {
    return new Bandwidth("greedy", capacity, tokens, period, undefined, options);
  }

  /** `tokens` at once at the end of each `period` after creation. */
  static interval(capacity: Amount, tokens: Amount, period: Time, options: BandwidthOptions = {}): Bandwidth {
    return new Bandwidth("interval", capacity, tokens, period, undefined, options);
  }

  /** `tokens` at once at `firstRefill` and every `period` after it, by a wall clock. */
  static aligned(
    capacity: Amount,
    tokens: Amount,
    period: Time,
    firstRefill: Time,
    options: BandwidthOptions = {},
  ): Bandwidth {
    return new Bandwidth("aligned", capacity, tokens, period, firstRefill, options);
  }

  /** As {@link Bandwidth.aligned}, starting with the share of the tokens that the time until the first
   * refill deserves. */
  static adaptive(
    capacity: Amount,
    tokens: Amount,
    period: Time,
    firstRefill: Time,
    options: BandwidthOptions = {},
  ): Bandwidth {
    return new Bandwidth("adaptive", capacity, tokens, period, firstRefill, options);
  }

  protected write(): void {
    putAmount(Part.capacity, this.capacity, "capacity");
    putAmount(Part.amount, this.tokens, "tokens");
    putPeriod(Part.period, this.period, "period");
    putPeriod(Part.edge, this.firstRefill ?? 0n, "firstRefill");
    putAmount(Part.initial, this.initialTokens ?? 0n, "initialTokens");
    const initial = this.initialTokens === undefined ? 0 : HAS_INITIAL;
    put(Part.flags, BigInt(REFILLS.indexOf(this.refill) | initial));
  }
}

/** What a cycle may have beyond its limit and period. */
export interface CycleOptions {
  /** A name, by which decisions and replacements refer to it. */
  name?: string;
  /** An edge that the cycles are aligned to, by a wall clock. */
  alignedTo?: Time;
  /** How long a reservation of a {@link FixedCycle} may wait; 0 unless given. A limiter is told when
   * it reserves. */
  timeout?: Time;
}

/** A limit by fixed cycles: `limit` permits in each `period`, none of them carried over. */
export class Cycle extends Limit {
  readonly name: string | undefined;
  readonly alignedTo: Time | undefined;
  readonly timeout: Time;

  constructor(
    readonly limit: Amount,
    readonly period: Time,
    options: CycleOptions = {},
  ) {
    super();
    this.name = options.name;
    this.alignedTo = options.alignedTo;
    this.timeout = options.timeout ?? 0;
    this.validate();
  }

  protected write(): void {
    putAmount(Part.amount, this.limit, "limit");
    putPeriod(Part.period, this.period, "period");
    putPeriod(Part.initial, this.timeout, "timeout");
    putInstant(Part.edge, this.alignedTo ?? 0n, "alignedTo");
    put(Part.flags, BigInt(CYCLE | (this.alignedTo === undefined ? 0 : HAS_EDGE)));
  }
}

/** Whatever limits can be made of. */
export type LimitsLike = string | Limits | Limit | readonly Limit[];

/** How one of several limits is made. */
export interface LimitInfo {
  /** What it is called: its name, or its text. */
  readonly name: string;
  /** The most that can be there at once. */
  readonly quota: number;
  /** What comes back each period. */
  readonly amount: number;
  /** The period, in milliseconds. */
  readonly periodMs: number;
  /** The time in which the whole quota comes back, in milliseconds rounded up; infinite beyond a century. */
  readonly windowMs: number;
}

const dropped = new FinalizationRegistry<number>((slot) => engine.limitsDrop(slot));

/**
 * Limits that hold at once: bandwidths and fixed cycles mixed. Immutable and shareable.
 *
 * ```ts
 * const limits = Limits.of("burst: 100/s burst 200; daily: 10000/day aligned");
 * limits.names; // ["burst", "daily"]
 * ```
 */
export class Limits {
  /** What each limit is called. */
  readonly names: readonly string[];
  /** Whether a limit needs a wall clock. */
  readonly isAligned: boolean;
  /** The number by which the engine knows them. */
  readonly slot: number;
  readonly #text: string;

  private constructor(slot: number) {
    this.slot = slot;
    dropped.register(this, slot);
    const [text, ...names] = engine.limitsText(slot).split("\n") as [string, ...string[]];
    this.#text = text;
    this.names = names;
    put(At.number, 0n);
    this.isAligned = engine.limitsLook(slot) === 1;
  }

  /** Limits of text, or of objects. */
  static of(limits: LimitsLike): Limits {
    if (limits instanceof Limits) return limits;
    if (typeof limits === "string") return new Limits(checked(engine.limitsParse(limits)));
    const list = limits instanceof Limit ? [limits] : limits;
    if (!Array.isArray(list) || !list.every((limit) => limit instanceof Limit)) {
      throw typeError("limits", "text, a limit or an array of them", limits);
    }
    return build(list, (slot) => new Limits(slot));
  }

  /** @internal The limits that the engine has by this number. */
  static at(slot: number): Limits {
    return new Limits(slot);
  }

  /** How each limit is made. */
  describe(): LimitInfo[] {
    return this.names.map((name, index) => {
      put(At.number, BigInt(index));
      engine.limitsLook(this.slot);
      return {
        name,
        quota: float(Part.capacity),
        amount: float(Part.amount),
        periodMs: float(Part.period),
        windowMs: float(Part.edge),
      };
    });
  }

  /** The limits as text, which parses to the same. */
  toString(): string {
    return this.#text;
  }
}

function build<R>(limits: readonly Limit[], use: (slot: number) => R): R {
  try {
    for (const limit of limits) limit.add();
  } catch (error) {
    // Those that were added are forgotten.
    const slot = engine.limitsBuild();
    if (slot >= 0) engine.limitsDrop(slot);
    throw error;
  }
  return use(checked(engine.limitsBuild()));
}
