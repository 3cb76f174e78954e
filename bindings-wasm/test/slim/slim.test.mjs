import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Limiter as Whole, ManualClock } from "tokenweir-wasm";
import { KeyedLimiter, Limiter, start } from "tokenweir-wasm/slim";

start(new WebAssembly.Module(readFileSync(new URL(import.meta.resolve("tokenweir-wasm/slim.wasm")))));

const make = (Class, options) => {
  const clock = new ManualClock();
  return { clock, limiter: new Class({ ...options, clock }) };
};

test("the wait is kept: refused a nanosecond before, granted at it", () => {
  const { limiter } = make(Limiter, { capacity: 3, period: 1_000 });
  assert.equal(limiter.tryAcquire(3), true);
  assert.equal(limiter.retryAfter(), 333.333334);
  assert.equal(limiter.tryAcquire(1, 333.333333), false);
  assert.equal(limiter.tryAcquire(1, 333.333334), true);
  assert.equal(limiter.retryAfter(4), Infinity);
});

test("it decides as the whole package does", () => {
  for (const [refill, text] of [["greedy", "10/s burst 20"], ["interval", "interval 10/s burst 20"]]) {
    const { limiter } = make(Limiter, { capacity: 20, tokens: 10, period: 1_000, refill });
    const whole = new Whole(text, { clock: new ManualClock() });
    let [now, random] = [0, 1];
    for (let call = 0; call < 5_000; call += 1) {
      random = (random * 48_271) % 2_147_483_647;
      now += (random % 400_000) / 1_000;
      const cost = 1 + (random % 7);
      assert.equal(limiter.retryAfter(cost, now), whole.peek(cost, now).retryAfterMs);
      assert.equal(limiter.tryAcquire(cost, now), whole.tryAcquire(cost, now));
      assert.equal(limiter.available(now), whole.available(now));
    }
  }
});

test("keys do not share, and one that is depleted is not given up for another", () => {
  const { clock, limiter } = make(KeyedLimiter, { capacity: 1, period: 1_000, maxKeys: 2 });
  assert.equal(limiter.tryAcquire("a"), true);
  clock.set(500);
  assert.equal(limiter.tryAcquire("b"), true);
  assert.deepEqual([limiter.tryAcquire("a"), limiter.tryAcquire("c"), limiter.retryAfter("c")], [false, false, 1_000]);
  clock.set(1_000);
  assert.deepEqual([limiter.tryAcquire("c"), limiter.tryAcquire("b"), limiter.size], [true, false, 2]);
});

test("what is out of range is an error, and the limit still holds", () => {
  const { limiter } = make(Limiter, { capacity: 5, period: 1_000 });
  for (const cost of [0, -1, 1.5, NaN, Infinity, 2 ** 53]) {
    assert.throws(() => limiter.tryAcquire(cost), { name: "RangeError", message: /^cost: / });
  }
  assert.throws(() => limiter.tryAcquire(1, -1), { name: "RangeError", message: /^now: / });
  assert.throws(() => new Limiter({ capacity: 0, period: 1 }), RangeError);
  assert.equal(limiter.available(), 5);
});
