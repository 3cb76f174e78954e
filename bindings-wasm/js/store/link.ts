import type { Clock } from "../index.js";
import { ServerClock } from "./clock.js";
import { StoreError } from "./errors.js";
import { type Guard, storeError } from "./guard.js";
import type { Comparison } from "./store.js";

/** From this attempt on it is tried after a pause, since many contend. */
const FIRST_PAUSE = 3;
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE = 16;

/** What happened between a limiter and its store, counted. */
export interface Counts {
  /** Requests to the store. */
  roundTrips: number;
  /** Decisions that had to be made anew because others had changed the key. */
  conflicts: number;
  /** Refusals that needed no request. */
  localRefusals: number;
  /** Requests that failed or were not answered in time. */
  failures: number;
  /** Decisions that were made without the store. */
  degraded: number;
}

/** A decision on values that may turn out to be old. */
export interface Attempt<R> {
  /** The result, if the values were not old. */
  readonly result: R;
  /** What to compare, and what to write. */
  readonly entries: readonly Comparison[];
  /** Whether it may stand on values that were seen a while ago. */
  readonly mayBeOld: boolean;
}

/** Values of a store, and when they were seen. */
export interface Values {
  /** The last values seen. */
  seen(): readonly (Uint8Array | null)[];
  /** Takes over values that were there at an instant of the local clock. */
  learn(values: readonly (Uint8Array | null)[], at: number): void;
}

/** How decisions are brought to a store, by any number of attempts. */
export class Link {
  readonly counts: Counts = { roundTrips: 0, conflicts: 0, localRefusals: 0, failures: 0, degraded: 0 };
  readonly #server: ServerClock;

  constructor(
    readonly guard: Guard,
    readonly clock: Clock<number>,
  ) {
    this.#server = new ServerClock(clock);
  }

  /** The store's time, in microseconds; `undefined` before the first reply. */
  nowUs(): number | undefined {
    return this.#server.nowUs();
  }

  /** Decides on the values last seen, writes what that changes, and decides anew on what is there instead if
   * that is something else: until the deadline. */
  async decide<R>(
    keys: readonly string[],
    values: Values,
    attempt: (nowUs: number) => Attempt<R>,
    wasSeen = false,
  ): Promise<R> {
    const started = this.clock.now();
    const left = () => this.guard.deadlineMs - (this.clock.now() - started);
    if (this.nowUs() === undefined) {
      await this.ask(keys.map(reading), values, 0, left(), asItIs);
      wasSeen = true;
    }
    for (let count = 1; count === 1 || left() > 0; count += 1) {
      if (count >= FIRST_PAUSE) await pause(count);
      const nowUs = this.nowUs()!;
      const { result, entries, mayBeOld } = attempt(nowUs);
      const writes = entries.some((entry) => entry.write !== null);
      if (!writes && (wasSeen || mayBeOld)) return result;
      if (left() <= 0) break;
      if (await this.ask(entries, values, nowUs, left(), asItIs)) return result;
      wasSeen = true;
    }
    throw new StoreError("store_contended", `others changed the key for ${this.guard.deadlineMs} ms`);
  }

  /** Asks the store; `then` is told whether everything was as last seen. */
  ask<R>(
    entries: readonly Comparison[],
    values: Values,
    asOfUs: number,
    leftMs: number,
    then: (same: boolean) => R | Promise<R>,
  ): Promise<R> {
    const sent = this.clock.now();
    this.counts.roundTrips += 1;
    return this.guard.ask(entries, asOfUs, leftMs).then(
      ({ nowUs, present }) => {
        this.#server.arrived(nowUs);
        values.learn(present ?? entries.map((entry) => entry.write ?? entry.seen), sent);
        if (present !== null) this.counts.conflicts += 1;
        return then(present === null);
      },
      (error: unknown) => {
        this.counts.failures += 1;
        throw storeError(error);
      },
    );
  }
}

const asItIs = (same: boolean): boolean => same;

/** Microseconds of the store's clock as the core has them. */
export const nanos = (us: number): bigint => BigInt(us) * 1000n;

const reading = (key: string): Comparison => ({ key, seen: null, write: null, keepMs: 1 });

function pause(count: number): Promise<void> {
  const most = Math.min(2 ** (count - FIRST_PAUSE), LONGEST_PAUSE);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * most));
}
