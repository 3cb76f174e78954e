/**
 * Limits by one bandwidth in a few kilobytes, over a module that the caller brings.
 *
 * ```ts
 * import { KeyedLimiter, start } from "tokenweir-wasm/slim";
 *
 * start(await WebAssembly.compileStreaming(fetch(new URL("tokenweir-wasm/slim.wasm", import.meta.url))));
 * const limiter = new KeyedLimiter({ capacity: 20, tokens: 10, period: 1_000 });
 * limiter.tryAcquire("user:1");
 * ```
 *
 * Amounts are whole numbers, times milliseconds. Everything else is in `tokenweir-wasm`.
 */

/** The compiled core, see `slim/src/lib.rs`. */
interface Core {
  group(capacity: number, tokens: number, period: number, interval: number): number;
  entry(group: number, now: number): number;
  renew(group: number, entry: number, now: number): number;
  decide(group: number, entry: number, cost: number, now: number): number;
  wait(group: number, entry: number, cost: number, now: number): number;
  available(group: number, entry: number, now: number): number;
}

let core: Core;

/** Starts the module `tokenweir-wasm/slim.wasm`; calling it again changes nothing. */
export function start(module: WebAssembly.Module): void {
  core ??= new WebAssembly.Instance(module).exports as unknown as Core;
}

/** A limit, and where `now` comes from when it is not given. */
export interface Options {
  /** How much fits. */
  capacity: number;
  /** How much comes back each period; the capacity unless given. */
  tokens?: number;
  /** The period, in milliseconds. */
  period: number;
  /** Each token as soon as its share of the period has passed, or all at its end; greedy unless
   * given. */
  refill?: "greedy" | "interval";
  /** Reads the clock; `performance.now()` unless given. */
  clock?: { now(): number };
}

/** What a keyed limiter may be made with. */
export interface KeyedOptions extends Options {
  /** How many keys are kept at most; 100 000 unless given. */
  maxKeys?: number;
}

function newGroup({ capacity, tokens = capacity, period, refill }: Options): number {
  const group = core.group(capacity, tokens, period, refill === "interval" ? 1 : 0);
  if (group !== group) throw new RangeError("capacity, tokens or period: out of range");
  return group;
}

function checked(result: number, cost: number): number {
  if (result !== result) {
    const argument = Number.isSafeInteger(cost) && cost > 0 ? "now" : "cost";
    throw new RangeError(`${argument}: out of range`);
  }
  return result;
}

/** One limiter for each of many keys. A key that is full again makes room for another, one that has used
 * anything does not: then a new key is refused. */
export class KeyedLimiter {
  readonly clock: { now(): number };
  readonly #group: number;
  readonly #capacity: number;
  readonly #period: number;
  readonly #maxKeys: number;
  /** The entry of each key. */
  readonly #entries = new Map<string, number>();

  constructor(options: KeyedOptions) {
    this.clock = options.clock ?? performance;
    this.#group = newGroup(options);
    this.#capacity = options.capacity;
    this.#period = options.period;
    this.#maxKeys = options.maxKeys ?? 100_000;
  }

  /** How many keys are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes `cost` if the key has it. */
  tryAcquire(key: string, cost = 1, now: number = this.clock.now()): boolean {
    const entry = this.#entries.get(key) ?? this.#admit(key, now);
    return entry >= 0 && checked(core.decide(this.#group, entry, cost, now), cost) === 1;
  }

  /** How long until `cost` is granted, in milliseconds rounded up; infinite for never. Without room for
   * the key that is not known: then it is the period. */
  retryAfter(key: string, cost = 1, now: number = this.clock.now()): number {
    const entry = this.#entries.get(key) ?? this.#admit(key, now);
    return entry < 0 ? this.#period : checked(core.wait(this.#group, entry, cost, now), cost);
  }

  /** What the key has, rounded down. */
  available(key: string, now: number = this.clock.now()): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? this.#capacity : checked(core.available(this.#group, entry, now), 1);
  }

  /** The entry of a new key; −1 if there is no room. */
  #admit(key: string, now: number): number {
    let entry = -1;
    if (this.#entries.size >= this.#maxKeys) {
      // A few of the others, in turn: those that are full say nothing that a new one would not.
      let looked = 0;
      for (const [other, taken] of this.#entries) {
        this.#entries.delete(other);
        if (core.available(this.#group, taken, now) === this.#capacity) {
          entry = core.renew(this.#group, taken, now);
          break;
        }
        this.#entries.set(other, taken);
        if ((looked += 1) === 64) return -1;
      }
      if (entry < 0) return -1;
    } else {
      entry = checked(core.entry(this.#group, now), 1);
    }
    this.#entries.set(key, entry);
    return entry;
  }
}

/** A limiter by one bandwidth. */
export class Limiter {
  readonly clock: { now(): number };
  readonly #group: number;

  constructor(options: Options) {
    this.clock = options.clock ?? performance;
    this.#group = newGroup(options);
    checked(core.entry(this.#group, this.clock.now()), 1);
  }

  /** Takes `cost` if it is there. */
  tryAcquire(cost = 1, now: number = this.clock.now()): boolean {
    return checked(core.decide(this.#group, 0, cost, now), cost) === 1;
  }

  /** How long until `cost` is granted, in milliseconds rounded up; infinite for never. */
  retryAfter(cost = 1, now: number = this.clock.now()): number {
    return checked(core.wait(this.#group, 0, cost, now), cost);
  }

  /** What there is, rounded down. */
  available(now: number = this.clock.now()): number {
    return checked(core.available(this.#group, 0, now), 1);
  }
}
