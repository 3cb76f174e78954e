/** Calls to services, within limits: those that are known here, and those that the services tell. */
import * as http from "../../http.js";
import { type Amount, type Clock, RateLimitedError, TokenweirError, monotonicClock, wallClock } from "../../index.js";
import { Retries, type RetryOptions } from "../calls/retries.js";
import { Services } from "../calls/services.js";
import { sleep } from "../calls/sleep.js";
import type { AnyLimiter, Eventual } from "../limiters.js";

export type { RetryOptions } from "../calls/retries.js";
export type { AnyLimiter, Eventual, KeyedLimiterLike, LimiterLike } from "../limiters.js";

/** A call that is about to be made. */
export interface Call {
  readonly url: URL;
  readonly method: string;
}

/** How calls are limited. */
export interface FetchLimitOptions {
  /** The limiter; without one, only what services tell counts. */
  limiter?: AnyLimiter;
  /** Which limit a call counts for, and whose replies tell of it; its origin unless given. */
  key?: (call: Call) => string;
  /** What a call costs: a whole number from 1, which it is unless given. */
  cost?: Amount | ((call: Call) => Eventual<Amount>);
  /** What becomes of a call that may not be made now: it waits, which it does unless told otherwise, or is
   * rejected with a `RateLimitedError`, or is answered here by a reply of status 429. */
  onLimit?: "wait" | "throw" | "respond";
  /** The longest wait before a call is made, in milliseconds; a minute unless given. A call that would have to
   * wait longer is rejected at once with a `RateLimitedError`. */
  timeoutMs?: number;
  /** How calls that fail are made again; `false` for not at all. */
  retry?: RetryOptions | false;
  /** What makes the calls; the global `fetch` unless given. */
  fetch?: typeof fetch;
  /** By what is waited. */
  clock?: Clock<number>;
  /** By what dates of replies are read, where they have no date of their own: milliseconds since the Unix
   * epoch. */
  unixTime?: () => number;
}

/**
 * A `fetch` that keeps to limits.
 *
 * Replies tell when a service refuses calls (`Retry-After`, `RateLimit` and its older forms): until then
 * none is made. Calls of idempotent methods whose body can be sent again are made again, after a back-off that is
 * never shorter than the service asks for; each try counts.
 *
 * ```ts
 * const limited = limitedFetch({ limiter: new KeyedLimiter("10/s"), timeoutMs: 5_000 });
 * const reply = await limited("https://api.example/items", { signal: AbortSignal.timeout(10_000) });
 * ```
 */
export function limitedFetch(options: FetchLimitOptions = {}): typeof fetch {
  const { clock = monotonicClock, unixTime = () => wallClock.now() } = options;
  const services = new Services(clock, unixTime);
  const retries = options.retry === false ? undefined : new Retries(options.retry ?? {});
  const gate = new Gate(options, clock, services);
  const keyOf = options.key ?? (({ url }: Call) => url.origin);

  return async (input, init) => {
    const send = options.fetch ?? fetch;
    const call = callOf(input, init);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const key = keyOf(call);
    const tries = retries?.of(call.method, input, init);
    const started = clock.now();
    for (;;) {
      const refusal = await gate.pass(call, key, signal);
      if (refusal !== undefined) return refusal;
      let reply: Response | undefined;
      let failure: unknown;
      try {
        reply = await send(input, init);
      } catch (error) {
        failure = error;
      }
      const asked = reply === undefined ? 0 : services.learn(key, reply);
      const isOver = signal?.aborted || (reply !== undefined && tries?.isWorthwhile(reply.status) !== true);
      const delay = isOver ? undefined : tries?.next(clock.now() - started, asked);
      if (delay === undefined) {
        if (reply !== undefined) return reply;
        throw failure;
      }
      // What nobody reads would keep its connection.
      await reply?.body?.cancel();
      await sleep(clock, delay, signal);
    }
  };
}

function callOf(input: string | URL | Request, init: RequestInit | undefined): Call {
  if (input instanceof Request) {
    return { url: new URL(input.url), method: (init?.method ?? input.method).toUpperCase() };
  }
  // This resolves what is relative, and has what is wrong fail before anything is counted.
  const { url, method } = new Request(input, { method: init?.method ?? "GET" });
  return { url: new URL(url), method };
}

/** Lets calls through when they may be made. */
class Gate {
  readonly #limiter: AnyLimiter | undefined;
  readonly #cost: Amount | ((call: Call) => Eventual<Amount>);
  readonly #onLimit: "wait" | "throw" | "respond";
  readonly #timeoutMs: number;
  readonly #clock: Clock<number>;
  readonly #services: Services;

  constructor(options: FetchLimitOptions, clock: Clock<number>, services: Services) {
    const { limiter, cost = 1, onLimit = "wait", timeoutMs = 60_000 } = options;
    if (!["wait", "throw", "respond"].includes(onLimit)) {
      throw misuse(new TypeError(`onLimit: expected "wait", "throw" or "respond", got ${String(onLimit)}`), "wrong_type");
    }
    if (!(timeoutMs >= 0)) {
      throw misuse(new RangeError(`timeoutMs: ${timeoutMs} is no number of milliseconds from 0`), "out_of_range");
    }
    const needed = onLimit === "wait" ? "acquire" : "check";
    if (limiter !== undefined && typeof limiter?.[needed] !== "function") {
      throw misuse(new TypeError(`limiter: expected a limiter with ${needed}`), "wrong_type");
    }
    this.#limiter = limiter;
    this.#cost = cost;
    this.#onLimit = onLimit;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#services = services;
  }

  /** Waits until a call may be made; the reply to one that may not be, if it is answered here. */
  async pass(call: Call, key: string, signal: AbortSignal | undefined): Promise<Response | undefined> {
    signal?.throwIfAborted();
    const cost = typeof this.#cost === "function" ? await this.#cost(call) : this.#cost;
    const deadline = this.#clock.now() + this.#timeoutMs;
    let hasTaken = false;
    try {
      for (;;) {
        const wait = this.#services.wait(key);
        const left = deadline - this.#clock.now();
        if (wait > 0) {
          if (this.#onLimit !== "wait" || wait > left) throw new RateLimitedError("refused_by_service", wait);
          await sleep(this.#clock, wait, signal);
        } else if (hasTaken) {
          return undefined;
        } else {
          await this.#take(key, cost, Math.max(left, 0), signal);
          hasTaken = true;
        }
      }
    } catch (error) {
      // What is not used is given back.
      if (hasTaken) await this.#giveBack(key, cost);
      if (this.#onLimit === "respond" && error instanceof RateLimitedError) return answered(error);
      throw error;
    }
  }

  async #take(key: string, cost: Amount, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const limiter = this.#limiter;
    if (limiter === undefined) return;
    if (this.#onLimit === "wait") {
      const how = { timeoutMs, ...(signal && { signal }) };
      await (limiter.isKeyed === false ? limiter.acquire!(cost, how) : limiter.acquire!(key, cost, how));
      return;
    }
    const decision = await (limiter.isKeyed === false ? limiter.check(cost) : limiter.check(key, cost));
    if (decision.allowed) return;
    // What is not known is no limit.
    if (decision.degraded === true) throw decision.cause ?? new TokenweirError("store_unavailable", "the store of the limits does not answer");
    throw new RateLimitedError(decision.never ? "never" : "not_in_time", decision.retryAfterMs);
  }

  async #giveBack(key: string, cost: Amount): Promise<void> {
    const limiter = this.#limiter;
    await (limiter?.isKeyed === false ? limiter.refund?.(cost) : limiter?.refund?.(key, cost));
  }
}

/** The reply to a call that is not made. */
function answered({ code, message, retryAfterMs }: RateLimitedError): Response {
  const policy = { name: code === "refused_by_service" ? "service" : "client", quota: 0 };
  const quotas = [{ policy, remaining: 0, reset: retryAfterMs, retryAfter: retryAfterMs }];
  return new Response(http.problem(quotas, message), {
    status: http.TOO_MANY_REQUESTS,
    headers: [...http.fields("none", quotas), ["Content-Type", http.PROBLEM_MEDIA_TYPE]],
  });
}

function misuse<E extends Error>(error: E, code: string): E {
  return Object.assign(error, { code });
}
