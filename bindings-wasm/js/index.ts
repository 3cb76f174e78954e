export { type Clock, ManualClock, monotonicClock, wallClock } from "./clock.js";
export type { Decision } from "./decision.js";
export { LimitSyntaxError, QueueFullError, RateLimitedError, TokenweirError } from "./errors.js";
export type { LimiterEvent, Listener } from "./events.js";
export { FixedCycle } from "./fixed-cycle.js";
export { Demand, type JointDecision, checkAll } from "./joint.js";
export { KeyedLimiter, type KeyedLimiterOptions, TooManyKeysError } from "./keyed-limiter.js";
export { Limiter, type LimiterOptions } from "./limiter.js";
export {
  Bandwidth,
  type BandwidthOptions,
  Cycle,
  type CycleOptions,
  Limit,
  type LimitInfo,
  Limits,
  type LimitsLike,
  type Refill,
} from "./limits.js";
export type { AcquireOptions } from "./queue.js";
export { Reservation } from "./reservation.js";
export type { Inheritance } from "./inheritance.js";
export type { LimitStatus, Standing } from "./subject.js";
export type { Amount, Kind, Time } from "./time.js";
export { type BucketOptions, type Estimate, type Level, type Probe, TokenBucket } from "./token-bucket.js";
