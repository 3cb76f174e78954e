/** What every adapter hands on. */
export type { Verdict } from "./gate.js";
export { type Key, type RequestView, apiKey, clientAddress, user } from "./keys.js";
export type { AnyLimiter, DemandLike, Eventual, KeyedLimiterLike, LimiterLike } from "./limiters.js";
export type { RateLimitOptions, Refusal, Scope } from "./options.js";
