// What users of other libraries reported, with the right outcome.
import assert from "node:assert/strict";
import test from "node:test";
import { api } from "./package.mjs";

const { Bandwidth, Limiter, ManualClock, TokenBucket } = api;

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

const make = (limits) => {
  const clock = new ManualClock();
  return { clock, limiter: new Limiter(limits, { clock }) };
};

/** How many of the calls at these instants are granted. */
const granted = (limiter, instants, cost = 1) => instants.filter((now) => limiter.tryAcquire(cost, now)).length;

const every = (step, until) => Array.from({ length: Math.floor(until / step) + 1 }, (_, index) => index * step);

test("3/s, obeying the wait each time, is granted at the first try", () => {
  const { limiter } = make("3/s burst 1");
  let now = 0;
  for (let call = 0; call < 1_000; call += 1) {
    now += limiter.peek(1, now).retryAfterMs;
    assert.equal(limiter.tryAcquire(1, now), true, `call ${call} at ${now}`);
  }
});

test("polling loses nothing: 1/s every 1999 ns, 7/s every 1.5 µs, for 20 s", () => {
  const poll = (text, nanos) => {
    const bucket = new Limiter(text, { clock: new ManualClock() });
    let count = 0;
    for (let now = 0; now <= 20e9; now += nanos) count += bucket.tryAcquire(1, now / 1e6);
    return count;
  };
  assert.equal(poll("1/s", 1_999), 20);
  assert.equal(poll("7/s burst 1", 1_500), 140);
});

test("30/min burst 10, one call a second for 40 s: 29 or 30", () => {
  const count = granted(make("30/min burst 10").limiter, every(SECOND, 39 * SECOND));
  assert.ok(count === 29 || count === 30, `${count}`);
});

test("huge costs and slow rates do not wrap", () => {
  assert.equal(make("1/h burst 2").limiter.check(5_124_097).never, true);
  const { limiter } = make("1 per 365 days burst 1000");
  assert.equal(granted(limiter, Array(2_000).fill(0)), 1_000);
});

test("a refusal is not charged", () => {
  const costs = (...list) => {
    const { limiter } = make("10/min");
    return list.map((cost) => limiter.tryAcquire(cost));
  };
  assert.deepEqual(costs(8, 2, 1), [true, true, false]);
  assert.deepEqual(costs(8, 5, 1), [true, false, true]);
});

test("never more than the burst and the refill in any window", () => {
  const { limiter } = make("2/300ms");
  const times = every(1, 3_000).filter((now) => limiter.tryAcquire(1, now));
  for (const start of times) {
    for (const length of [1, 150, 300, 600, 1_500]) {
      const count = times.filter((now) => now >= start && now < start + length).length;
      assert.ok(count <= 2 + Math.ceil((length * 2) / 300), `${count} in ${length} ms from ${start}`);
    }
  }
});

test("5 per 5 min, emptied, asked 59 s later: 241 s by interval, 1 s greedily", () => {
  for (const [refill, wait] of [
    ["interval", 241],
    ["greedy", 1],
  ]) {
    const bucket = new TokenBucket(Bandwidth[refill](5, 5, 300 * SECOND), { clock: new ManualClock() });
    bucket.consumeUpTo();
    assert.equal(bucket.estimate(1, 59 * SECOND).wait, wait * SECOND);
  }
});

test("a clock that goes back an hour grants nothing extra and loses nothing", () => {
  const { limiter } = make("1/min");
  const hour = 3_600 * SECOND;
  assert.equal(limiter.tryAcquire(1, hour), true);
  assert.equal(limiter.peek(1, 0).retryAfterMs, hour + 60 * SECOND);
  assert.equal(granted(limiter, every(10 * SECOND, hour)), 0);
  assert.equal(limiter.tryAcquire(1, hour + 60 * SECOND), true);
});

test("amounts beyond 2^53 are exact with bigints", () => {
  const large = (1n << 60n) + 1n;
  const bucket = new TokenBucket(Bandwidth.greedy(large, large, DAY), { clock: new ManualClock(0n) });
  assert.equal(bucket.tryConsume(large - 1n), true);
  assert.equal(bucket.available(), 1n);
  assert.equal(bucket.tryConsume(2n), false);
});

test("a number is milliseconds and a bigint nanoseconds, everywhere", () => {
  const bucket = new TokenBucket(Bandwidth.greedy(1, 1, 1_000_000_000n), { clock: new ManualClock() });
  assert.equal(bucket.tryConsume(1, 0.000001), true);
  assert.equal(bucket.probe(1, 1n).wait, 1_000);
  const exact = new TokenBucket(Bandwidth.greedy(1, 1, 1_000), { clock: new ManualClock(1n) });
  assert.equal(exact.tryConsume(), true);
  assert.equal(exact.probe(1, 2n).wait, 999_999_999n);
});
