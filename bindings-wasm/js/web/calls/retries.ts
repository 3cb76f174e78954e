/** Which calls are made again, and when. */
import { Backoff, type BackoffOptions } from "../../backoff.js";
import type { Amount } from "../../index.js";

/** How calls that fail are made again. */
export interface RetryOptions extends BackoffOptions<number> {
  /** The methods of calls that may be made twice; those that RFC 9110 calls idempotent unless given. */
  methods?: readonly string[];
  /** The statuses of replies that are worth another try; 408, 425, 429, 500, 502, 503 and 504 unless
   * given. */
  statuses?: readonly number[];
  /** 64 random bits for the jitter; of `Math.random` unless given. */
  random?: () => Amount;
}

const DEFAULTS: RetryOptions & Required<Pick<RetryOptions, "methods" | "statuses">> = {
  initial: 500,
  multiplier: 2,
  max: 30_000,
  jitter: "full",
  maxRetries: 3,
  longestRetryAfter: 60_000,
  methods: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"],
  statuses: [408, 425, 429, 500, 502, 503, 504],
};

/** Who says how often, and how long after one another, a call is made. */
export class Retries {
  readonly #methods: ReadonlySet<string>;
  readonly #statuses: ReadonlySet<number>;
  readonly #random: (() => Amount) | undefined;
  readonly #backoff: BackoffOptions<number>;

  constructor(options: RetryOptions) {
    const { methods, statuses, random, ...backoff } = { ...DEFAULTS, ...options };
    this.#methods = new Set(methods.map((method) => method.toUpperCase()));
    this.#statuses = new Set(statuses);
    this.#random = random;
    this.#backoff = backoff;
    // What is wrong with the options is an error now.
    this.#start();
  }

  /** The tries of a call, unless it can be made only once. */
  of(method: string, input: unknown, init: RequestInit | undefined): Tries | undefined {
    if (!this.#methods.has(method) || !isReplayable(input, init)) return undefined;
    let delays: Backoff | undefined;
    return {
      isWorthwhile: (status) => this.#statuses.has(status),
      next: (elapsed, retryAfter) => {
        // Most calls need none.
        delays ??= this.#start();
        return delays.next(elapsed, retryAfter, this.#random?.()).delay;
      },
    };
  }

  #start(): Backoff {
    return new Backoff(this.#backoff);
  }
}

/** The tries of one call. */
export interface Tries {
  /** Whether a reply of this status is tried again. */
  isWorthwhile(status: number): boolean;
  /** How long to wait before the next try, given the time since the first and what the service asks for, all in
   * milliseconds; `undefined` to give up. */
  next(elapsed: number, retryAfter: number): number | undefined;
}

/** Whether the body, if there is one, can be sent again: a stream is read only once. */
function isReplayable(input: unknown, init: RequestInit | undefined): boolean {
  const body = init?.body;
  if (body === undefined || body === null) return !(input instanceof Request) || input.body === null;
  if (typeof body === "string" || ArrayBuffer.isView(body)) return true;
  return [ArrayBuffer, Blob, FormData, URLSearchParams].some((kind) => body instanceof kind);
}
