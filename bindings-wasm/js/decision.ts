import { At, float } from "./engine.js";

/** Whether a cost was granted, and the numbers of the limit that decided. */
export interface Decision {
  /** Whether the cost was taken from every limit; otherwise from none. */
  readonly allowed: boolean;
  /** The most that the limit that decided can have at once. */
  readonly limit: number;
  /** What is left of it, rounded down; 0 while reservations are owed. */
  readonly remaining: number;
  /** How long until the same cost would be granted by every limit, in milliseconds rounded up: 0 if it
   * was, infinite if it is above what one of them can ever have. */
  readonly retryAfterMs: number;
  /** How long until this limit is full, in milliseconds rounded up. */
  readonly resetAfterMs: number;
  /** The name of the limit that decided: the one with the longest wait if the cost was refused,
   * otherwise the one that has the least left. */
  readonly scope: string;
  /** Whether asking again for the same cost is of no use. */
  readonly never: boolean;
}

/** The decision that has just been made, by limits of these names. */
export function decision(allowed: boolean, names: readonly string[]): Decision {
  const retryAfterMs = float(At.result + 4);
  return {
    allowed,
    limit: float(At.result),
    remaining: float(At.result + 2),
    retryAfterMs,
    resetAfterMs: float(At.result + 6),
    scope: names[float(At.result + 8)]!,
    never: retryAfterMs === Infinity,
  };
}
