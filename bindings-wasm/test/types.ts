// The types that users see; compiled, not run.
import { expectTypeOf } from "expect-type";
import {
  Bandwidth,
  type Clock,
  Cycle,
  type Decision,
  FixedCycle,
  KeyedLimiter,
  Limiter,
  type LimiterEvent,
  Limits,
  ManualClock,
  type Probe,
  type Reservation,
  TokenBucket,
  checkAll,
  monotonicClock,
} from "tokenweir-wasm";
import { Backoff } from "tokenweir-wasm/backoff";
import * as http from "tokenweir-wasm/http";
import * as stored from "tokenweir-wasm/stored";

// Numbers of milliseconds unless a clock of bigints is given, which makes every answer a bigint.
const bucket = new TokenBucket(Bandwidth.greedy(1, 1, 1));
expectTypeOf(bucket).toEqualTypeOf<TokenBucket<number>>();
expectTypeOf(bucket.probe()).toEqualTypeOf<Probe<number>>();
expectTypeOf(bucket.reserve(1)).toEqualTypeOf<Reservation<number> | null>();
const exact = new TokenBucket([Bandwidth.interval(1n, 1n, 1n)], { clock: new ManualClock(0n) });
expectTypeOf(exact).toEqualTypeOf<TokenBucket<bigint>>();
expectTypeOf(exact.available(5n)).toEqualTypeOf<bigint>();
expectTypeOf(exact.timeToFull()).toEqualTypeOf<bigint | null>();
expectTypeOf(new FixedCycle(new Cycle(1, 1)).cycle()).toEqualTypeOf<number>();
expectTypeOf(monotonicClock).toEqualTypeOf<Clock<number>>();
expectTypeOf(new Backoff({ initial: 5n }).next(0n).delay).toEqualTypeOf<bigint | undefined>();

const limiter = new Limiter("10/s", { onEvent: (event) => expectTypeOf(event).toEqualTypeOf<LimiterEvent>() });
expectTypeOf(limiter.tryAcquire(1n, 5n)).toEqualTypeOf<boolean>();
expectTypeOf(limiter.check()).toEqualTypeOf<Decision>();
expectTypeOf(limiter.acquire(1, { timeoutMs: 5 })).toEqualTypeOf<Promise<void>>();
expectTypeOf(limiter.reserve()).toEqualTypeOf<Reservation | null>();
const keyed = new KeyedLimiter(Limits.of("10/s"), { maxKeys: 5, overflow: "share" });
expectTypeOf(keyed.tryAcquire("key", 2n, 5)).toEqualTypeOf<boolean>();
expectTypeOf(checkAll([limiter.demand(), keyed.demand("key", 2)]).subject).toEqualTypeOf<number>();

expectTypeOf(http.received([["Retry-After", "5"]], 0n).retryAfter).toEqualTypeOf<bigint | undefined>();
expectTypeOf(stored.step(null, { limits: "1/s" }, 0, { type: "check", cost: 1 }).outcome).toEqualTypeOf<Decision>();
expectTypeOf(stored.step(null, { limits: "1/s" }, 0, { type: "reserve", cost: 1 }).outcome).toEqualTypeOf<Reservation | null>();
expectTypeOf(stored.step(null, { limits: "1/s" }, 0, { type: "reset" }).outcome).toEqualTypeOf<undefined>();
const next = new Backoff({ initial: 500 }).next(0);
if (next.giveUp === undefined) expectTypeOf(next.delay).toEqualTypeOf<number>();

// @ts-expect-error: an amount is no text.
limiter.tryAcquire("1");
// @ts-expect-error: a key comes first.
keyed.tryAcquire(1);
// @ts-expect-error: there is no such inheritance.
limiter.update("10/s", "halve");
// @ts-expect-error: a bucket has bandwidths, not cycles.
new TokenBucket(new Cycle(1, 1));
// @ts-expect-error: a constructor is not called for a bandwidth, whose kind has a name.
new Bandwidth("greedy", 1, 1, 1);
