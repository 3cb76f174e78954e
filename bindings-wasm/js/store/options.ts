import type { Amount, Clock, Inheritance } from "../index.js";
import type { BreakerOptions } from "./guard.js";
import type { DegradedDecision, OnStoreError } from "./policy.js";

/** What a limiter over a store may be made with. */
export interface StoredLimiterOptions {
  /** The version of the limits: they take over stored ones of a lower version, or of none. Without
   * one, what is stored under a key stays in force there. */
  version?: Amount;
  /** What becomes of the tokens when they do; as they are unless given. */
  inheritance?: Inheritance;
  /** What becomes of a decision when the store fails; the error is raised unless given. */
  onStoreError?: OnStoreError;
  /** The longest that the store may take for a decision, in milliseconds; 50 unless given. */
  deadlineMs?: number;
  /** When the store is left alone because it fails. */
  breaker?: BreakerOptions;
  /** For how long a refusal may be answered without asking the store, in milliseconds; 1 000 unless given. As
   * long may pass until a reset, a refund or new limits of another process are seen. */
  recheckMs?: number;
  /** Of how many keys the last value is remembered; 100 000 unless given. */
  maxKeys?: number;
  /** How many may wait at once; 10 000 unless given. */
  maxWaiting?: number;
  /** Counts the milliseconds between replies; `performance.now()` unless given. */
  clock?: Clock<number>;
  /** Is told of each decision that was made without the store. */
  onDegraded?: (decision: DegradedDecision, key: string) => void;
}

/** What was waited for. */
export interface Acquired {
  /** For how long, in milliseconds. */
  readonly waitedMs: number;
  /** Whether it was granted without the store. */
  readonly degraded: boolean;
}
