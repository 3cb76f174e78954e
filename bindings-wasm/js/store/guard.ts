import CircuitBreaker from "opossum";
import { TokenweirError } from "../index.js";
import { Deadlines } from "./deadlines.js";
import { StoreError, inRange } from "./errors.js";
import type { Answer, Comparison, Store } from "./store.js";

/** When a store that fails is left alone. */
export interface BreakerOptions {
  /** From which share of failures on, in percent; 50 unless given. */
  errorThresholdPercentage?: number;
  /** How many requests have to have been made of late for that to count; 5 unless given. */
  volumeThreshold?: number;
  /** For how long, in milliseconds, before one request tries again; 1 000 unless given. */
  resetTimeoutMs?: number;
}

/** A store that answers in time or not at all. */
export class Guard {
  /** The longest that an answer may take, in milliseconds. */
  readonly deadlineMs: number;
  readonly #breaker: CircuitBreaker<[readonly Comparison[], number, number], Answer>;

  constructor(store: Store, deadlineMs = 50, options: BreakerOptions = {}) {
    this.deadlineMs = inRange("deadlineMs", deadlineMs, 1, 2 ** 31 - 1);
    this.#breaker = new CircuitBreaker(
      (entries, asOfUs, leftMs) => inTime(store.compareAndSet(entries, asOfUs), leftMs, this.deadlineMs),
      {
        timeout: false,
        errorThresholdPercentage: inRange("breaker", options.errorThresholdPercentage ?? 50, 1, 100),
        volumeThreshold: inRange("breaker", options.volumeThreshold ?? 5, 0, 2 ** 31),
        resetTimeout: inRange("breaker", options.resetTimeoutMs ?? 1_000, 1, 2 ** 31 - 1),
        enableSnapshots: false,
        // What is wrong with one key says nothing of the store.
        errorFilter: (error: unknown) => error instanceof TokenweirError && !(error instanceof StoreError),
      },
    );
  }

  /** Whether the store is left alone. */
  get isOpen(): boolean {
    return this.#breaker.opened;
  }

  /** Asks the store, which has `leftMs` to answer. What it rejects with is for {@link storeError}. */
  ask(entries: readonly Comparison[], asOfUs: number, leftMs: number): Promise<Answer> {
    return this.#breaker.fire(entries, asOfUs, leftMs);
  }

  /** Stops the timers of the breaker. */
  close(): void {
    this.#breaker.shutdown();
  }
}

/** What to tell of a request that failed. */
export function storeError(error: unknown): unknown {
  if (error instanceof TokenweirError) return error;
  const { code, message } = error as { code?: string; message?: string };
  return code === "EOPENBREAKER" || code === "ESHUTDOWN"
    ? new StoreError("store_open", "the store has failed too often of late and is left alone")
    : new StoreError("store_failed", `the store failed: ${message ?? String(error)}`, error);
}

/** Those of all stores of this process. */
const deadlines = new Deadlines();

function inTime(answer: Promise<Answer>, leftMs: number, deadlineMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const awaited = deadlines.add(leftMs, () =>
      reject(new StoreError("store_timeout", `the store did not answer within ${deadlineMs} ms`)),
    );
    answer.then(
      (value) => {
        deadlines.met(awaited);
        resolve(value);
      },
      (error) => {
        deadlines.met(awaited);
        reject(error);
      },
    );
  });
}
