import assert from "node:assert/strict";
import test from "node:test";
import { api } from "./package.mjs";

const { Bandwidth, Cycle, FixedCycle, KeyedLimiter, Limiter, ManualClock, TokenBucket } = api;

/** Calls that take an amount first, and after each that nothing was taken. */
const takers = () => {
  const clock = new ManualClock();
  const limiter = new Limiter("10/s", { clock });
  const keyed = new KeyedLimiter("10/s", { clock, maxKeys: 5 });
  const bucket = new TokenBucket(Bandwidth.greedy(10, 10, 1_000), { clock });
  const cycle = new FixedCycle(new Cycle(10, 1_000), { clock });
  return [
    ["cost", (n) => limiter.tryAcquire(n), () => limiter.available()],
    ["cost", (n) => limiter.check(n), () => limiter.available()],
    ["cost", (n) => limiter.peek(n), () => limiter.available()],
    ["cost", (n) => limiter.reserve(n), () => limiter.available()],
    ["cost", (n) => limiter.refund(n), () => limiter.available()],
    ["cost", (n) => keyed.tryAcquire("key", n), () => keyed.available("key")],
    ["cost", (n) => keyed.check("key", n), () => keyed.available("key")],
    ["tokens", (n) => bucket.tryConsume(n), () => bucket.available()],
    ["tokens", (n) => bucket.probe(n), () => bucket.available()],
    ["tokens", (n) => bucket.forceAdd(n), () => bucket.available()],
    ["permits", (n) => cycle.tryAcquire(n), () => cycle.available()],
    ["permits", (n) => cycle.reserve(n), () => cycle.available()],
  ];
};

const numbers = [NaN, -1, 0, 1.5, Infinity, -Infinity, 2 ** 53, 1e300, 0n, -5n, 1n << 63n, 1n << 200n];
const others = ["5", null, {}, [], true, Symbol("five")];

test("an amount that is none is an error that names the argument, and the limit still holds", () => {
  for (const [argument, take, available] of takers()) {
    for (const n of numbers) {
      assert.throws(() => take(n), (error) => {
        assert.ok(error instanceof RangeError, `${argument} ${String(n)}: ${error}`);
        assert.ok(error.message.startsWith(`${argument}: `), error.message);
        assert.equal(typeof error.code, "string");
        return true;
      });
    }
    for (const n of others) {
      assert.throws(() => take(n), (error) => {
        assert.ok(error instanceof TypeError, `${argument} ${String(n)}: ${error}`);
        assert.ok(error.message.startsWith(`${argument}: `), error.message);
        return true;
      });
    }
    assert.equal(available(), 10);
  }
});

test("errors have the codes of the core", () => {
  const limiter = new Limiter("10/s");
  const codes = (n) => {
    try {
      limiter.tryAcquire(n);
    } catch (error) {
      return error.code;
    }
  };
  assert.deepEqual(
    [0, -3, 1.5, 2 ** 60, -(1n << 70n), 1n << 63n, "1"].map(codes),
    [
      "non_positive_tokens_to_consume",
      "non_positive_tokens_to_consume",
      "not_an_integer",
      "unsafe_integer",
      "non_positive_tokens_to_consume",
      "amount_too_large",
      "wrong_type",
    ],
  );
  assert.throws(() => new FixedCycle(new Cycle(10, 1_000)).tryAcquire(0), { code: "non_positive_permits" });
  assert.throws(() => limiter.refund(0), { code: "non_positive_tokens_to_add" });
});

test("a time that is none is an error that names the argument", () => {
  const limiter = new Limiter("10/s");
  for (const now of [NaN, -1, Infinity, -5n, 1n << 64n]) {
    assert.throws(() => limiter.tryAcquire(1, now), { name: "RangeError", message: /^now/ });
  }
  assert.throws(() => limiter.tryAcquire(1, "noon"), { name: "TypeError", message: /^now: / });
  assert.throws(() => limiter.reserve(1, -1), { name: "RangeError", message: /^maxWait/ });
  assert.throws(() => limiter.reserve(1, 0), { name: "RangeError", code: "non_positive_wait" });
});

test("a period that is not exact is an error, a fraction that is exact is not", () => {
  assert.throws(() => Bandwidth.greedy(1, 1, 100 / 3), { name: "RangeError", code: "inexact_duration", message: /^period/ });
  assert.equal(`${new TokenBucket(Bandwidth.greedy(1, 1, 0.1))}`, "TokenBucket(1/100us)");
  assert.throws(() => Bandwidth.greedy(1, 1, 0), { code: "non_positive_period" });
  assert.throws(() => Bandwidth.greedy(0, 1, 1), { code: "non_positive_capacity" });
  assert.throws(() => Bandwidth.greedy(1.5, 1, 1), { code: "not_an_integer", message: /^capacity: / });
  assert.throws(() => Bandwidth.greedy(1, 1, 1, { name: 5 }), { name: "TypeError", message: /^name: / });
});

test("what is no limits, key, reservation or option is named", () => {
  assert.throws(() => new Limiter(10), { name: "TypeError", message: /^limits: / });
  assert.throws(() => new Limiter([]), { code: "no_bandwidths" });
  assert.throws(() => new Limiter(["10/s"]), { name: "TypeError", message: /^limits: / });
  const keyed = new KeyedLimiter("10/s");
  assert.throws(() => keyed.tryAcquire(5), { name: "TypeError", message: /^key: / });
  assert.throws(() => keyed.tryAcquire(undefined), { name: "TypeError", message: /^key: / });
  assert.throws(() => new Limiter("10/s").cancel({}), { name: "TypeError", message: /^reservation: / });
  assert.throws(() => new KeyedLimiter("10/s", { maxKeys: 0 }), { message: /^maxKeys: / });
  assert.throws(() => new Limiter("10/s", { maxWaiting: NaN }), { message: /^maxWaiting: / });
});

test("a failed list of limits leaves nothing behind for the next", () => {
  assert.throws(() => new Limiter([Bandwidth.greedy(1, 1, 1), "no"]));
  const two = [Bandwidth.greedy(1, 1, 1, { name: "a" }), Bandwidth.greedy(1, 1, 1, { name: "a" })];
  assert.throws(() => new Limiter(two), { code: "duplicate_bandwidth_id" });
  assert.equal(new Limiter(Bandwidth.greedy(1, 1, 1)).limits.names.length, 1);
});
