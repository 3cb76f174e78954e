import { amountPart, ask, optionalText, timeOf, timePart } from "./ask.js";
import type { Amount, Kind, Time } from "./time.js";

/** How a back-off grows and ends. Times are milliseconds, or bigints of nanoseconds. */
export interface BackoffOptions<T extends Time = Time> {
  /** The first interval; 500 ms unless given. A bigint makes every delay one. */
  initial?: T;
  /** What each interval is multiplied by; 1 unless given. */
  multiplier?: number | string;
  /** The longest interval. */
  max?: Time;
  /** How chance moves an interval: not at all, from next to nothing to the whole, from half to the
   * whole, or by a share of it either way. */
  jitter?: "none" | "full" | "equal" | number | string;
  /** How many retries there are at most. */
  maxRetries?: number;
  /** How long all tries may take together. */
  budget?: Time;
  /** The longest wait that a server may ask for. */
  longestRetryAfter?: Time;
}

/** How long to wait before the next try, or the code of the reason to give up. */
export type NextTry<T extends Time> =
  | { readonly delay: T; readonly giveUp?: never }
  | { readonly giveUp: string; readonly delay?: never };

/** What can be asked; `engine/src/ask/mod.rs` has the same numbers. */
const Ask = { New: 0, Delay: 1, Drop: 2 } as const;

const dropped = new FinalizationRegistry<number>((slot) => ask("backoff", Ask.Drop, [slot]));

/**
 * How long to wait before trying again: exponential, jittered, never earlier than the server asks.
 *
 * One of these is for one sequence of tries. It does not sleep.
 *
 * ```ts
 * const backoff = new Backoff({ initial: 500, multiplier: 1.5, max: 10_000, jitter: "equal", maxRetries: 3 });
 * const { delay, giveUp } = backoff.next(elapsed, retryAfter);
 * ```
 */
export class Backoff<T extends Time = number> {
  readonly #slot: number;
  readonly #exact: boolean;

  constructor(options: BackoffOptions<T> = {}) {
    const { initial = 500, multiplier, max, jitter, maxRetries, budget, longestRetryAfter } = options;
    this.#exact = typeof initial === "bigint";
    const parts = [
      timePart(initial, "initial"),
      optionalText(multiplier === undefined ? undefined : `${multiplier}`, "multiplier"),
      timePart(max, "max"),
      optionalText(jitter === undefined ? undefined : `${jitter}`, "jitter"),
      maxRetries === undefined ? undefined : amountPart(maxRetries, "maxRetries"),
      timePart(budget, "budget"),
      timePart(longestRetryAfter, "longestRetryAfter"),
    ];
    this.#slot = Number(ask("backoff", Ask.New, parts)[0]![0]);
    dropped.register(this, this.#slot);
  }

  /** How long to wait, given the time since the first try and how long the server asks for. `random`
   * is 64 random bits; unless given, they are of `Math.random`. */
  next(elapsed: Time, retryAfter: Time | null = 0, random: Amount = chance()): NextTry<Kind<T>> {
    const parts = [
      this.#slot,
      timePart(elapsed, "elapsed"),
      amountPart(random, "random"),
      timePart(retryAfter, "retryAfter"),
    ];
    const [delay, reason] = ask("backoff", Ask.Delay, parts)[0]!;
    return delay === "" ? { giveUp: reason! } : { delay: timeOf<Kind<T>>(delay!, this.#exact) };
  }
}

function chance(): bigint {
  const half = () => BigInt(Math.floor(Math.random() * 2 ** 32));
  return (half() << 32n) | half();
}
