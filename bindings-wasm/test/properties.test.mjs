// Properties, against a model of unbounded integers.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { api } from "./package.mjs";

const { Bandwidth, KeyedLimiter, Limiter, Limits, ManualClock, TokenBucket } = api;

const MAX = (1n << 63n) - 1n;
const RUNS = { numRuns: 300 };

/** A greedy bucket in units of 1/period of a token: all is whole. */
class Model {
  constructor({ capacity, tokens, period }) {
    Object.assign(this, { capacity, tokens, period, level: capacity * period, last: 0n });
  }

  refill(now) {
    if (now <= this.last) return;
    const level = this.level + (now - this.last) * this.tokens;
    const full = this.capacity * this.period;
    this.level = this.level >= full ? this.level : level < full ? level : full;
    this.last = now;
  }

  take(n, now) {
    const before = { level: this.level, last: this.last };
    this.refill(now);
    if (this.level >= n * this.period) {
      this.level -= n * this.period;
      return true;
    }
    Object.assign(this, before);
    return false;
  }

  /** How long until `n` tokens are there; undefined for never. */
  wait(n, now) {
    const level = this.at(now);
    const missing = n * this.period - level;
    if (missing <= 0n) return 0n;
    if (n > this.capacity) return undefined;
    const lag = this.last > now ? this.last - now : 0n;
    const wait = (missing + this.tokens - 1n) / this.tokens + lag;
    return wait > MAX ? undefined : wait;
  }

  at(now) {
    const copy = Object.assign(Object.create(Model.prototype), this);
    copy.refill(now);
    return copy.level;
  }
}

/** Numbers of every size, small ones as likely as large. */
const sized = (max) =>
  fc.integer({ min: 0, max: max.toString(2).length - 1 }).chain((bits) => {
    const top = 1n << BigInt(bits + 1);
    return fc.bigInt({ min: 1n, max: top - 1n < max ? top - 1n : max });
  });

const limit = fc.record({ capacity: sized(MAX), tokens: sized(MAX), period: sized(MAX) });
/** Steps of time, mostly forward. */
const step = fc.oneof({ weight: 4, arbitrary: sized(1n << 58n) }, { weight: 1, arbitrary: fc.bigInt({ min: -1_000n, max: 0n }) });
const call = fc.record({ n: sized(MAX), step });

const clamp = (now) => (now < 0n ? 0n : now >= 1n << 64n ? (1n << 64n) - 1n : now);

test("a bucket answers as the model does, and keeps the promised wait", () => {
  fc.assert(
    fc.property(limit, fc.array(call, { minLength: 1, maxLength: 30 }), (numbers, calls) => {
      const { capacity, tokens, period } = numbers;
      const bucket = new TokenBucket(Bandwidth.greedy(capacity, tokens, period), { clock: new ManualClock(0n) });
      const model = new Model(numbers);
      let now = 0n;
      for (const { n, step } of calls) {
        now = clamp(now + step);
        const wait = model.wait(n, now);
        assert.equal(bucket.estimate(n, now).wait, wait ?? null);
        assert.equal(bucket.tryConsume(n, now), model.take(n, now));
        assert.equal(bucket.available(now), model.at(now) / period);
        if (wait !== undefined && wait > 0n && now + wait < 1n << 64n) {
          assert.equal(bucket.estimate(n, now + wait - 1n).canConsume, false);
          assert.equal(bucket.estimate(n, now + wait).canConsume, true);
        }
      }
    }),
    RUNS,
  );
});

test("numbers of milliseconds and bigints of nanoseconds answer alike", () => {
  const millis = fc.integer({ min: 0, max: 10_000_000 }).map((micros) => micros / 1_000);
  const small = fc.integer({ min: 1, max: 1_000 });
  fc.assert(
    fc.property(small, small, fc.integer({ min: 1, max: 100_000 }), fc.array(fc.tuple(small, millis)), (capacity, tokens, period, calls) => {
      const bandwidth = Bandwidth.greedy(capacity, tokens, period);
      const numbers = new TokenBucket(bandwidth, { clock: new ManualClock() });
      const bigints = new TokenBucket(bandwidth, { clock: new ManualClock(0n) });
      for (const [n, at] of calls) {
        const nanos = BigInt(Math.round(at * 1e6));
        const [a, b] = [numbers.probe(n, at), bigints.probe(n, nanos)];
        assert.equal(a.consumed, b.consumed);
        assert.equal(BigInt(a.remaining), b.remaining);
        assert.equal(a.wait === null ? null : BigInt(Math.round(a.wait * 1e6)), b.wait);
        assert.equal(BigInt(Math.round(a.reset * 1e6)), b.reset);
      }
    }),
    RUNS,
  );
});

test("the wait of a decision, obeyed by the millisecond clock, is enough", () => {
  const text = fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.constantFrom("s", "min", "h", "100ms", "7s")).map(([n, unit]) => `${n}/${unit} burst 1`);
  fc.assert(
    // Up to 24 days after the origin of the clock, which tells nanoseconds.
    fc.property(text, fc.bigInt({ min: 0n, max: 2n ** 51n }), (limits, start) => {
      const reading = (millis) => Math.round(millis * 1e6) / 1e6;
      let now = Number(start) / 1e6;
      const limiter = new Limiter(limits, { clock: new ManualClock(now) });
      for (let count = 0; count < 20; count += 1) {
        now = reading(now + limiter.peek(1, now).retryAfterMs);
        assert.equal(limiter.tryAcquire(1, now), true, `${limits} at ${now}`);
      }
    }),
    RUNS,
  );
});

test("formatted limits parse to the same", () => {
  const one = fc
    .tuple(sized(MAX), sized(1n << 50n), sized(MAX))
    .map(([tokens, period, capacity]) => `${tokens}/${period}ns burst ${capacity}`);
  const cycle = fc.tuple(sized(MAX), sized(1n << 50n)).map(([n, period]) => `cycle ${n}/${period}ns`);
  fc.assert(
    fc.property(fc.array(fc.oneof(one, cycle), { minLength: 1, maxLength: 6 }), (list) => {
      const limits = Limits.of(list.join(";"));
      assert.equal(`${Limits.of(`${limits}`)}`, `${limits}`);
      assert.equal(limits.names.length, list.length);
    }),
    RUNS,
  );
});

test("text never does worse than an error with a column", () => {
  const pieces = fc.constantFrom("10", "/", "s", ";", ":", " ", "burst", "cycle", "per", "0.5", "aligned", "min", "é", "\0", '"');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(pieces).map((list) => list.join(""))), (text) => {
      try {
        Limits.of(text);
      } catch (error) {
        assert.ok(error instanceof api.TokenweirError || error instanceof RangeError, `${error}`);
        if (error.code === "limit_syntax") assert.ok(error.column >= 1 && error.column <= text.length + 1);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("each key of a keyed limiter decides as a limiter of its own", () => {
  const calls = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 400 })));
  fc.assert(
    fc.property(calls, (calls) => {
      const clock = new ManualClock();
      const keyed = new KeyedLimiter("5/s burst 7; cycle 20/10s", { clock });
      const alone = new Map(["a", "b", "c"].map((key) => [key, undefined]));
      for (const [key, cost, step] of calls) {
        clock.advance(step);
        const limiter = alone.get(key) ?? new Limiter("5/s burst 7; cycle 20/10s", { clock });
        alone.set(key, limiter);
        // Cycles count from the first call of a key, which a key that was given up has again.
        assert.equal(keyed.tryAcquire(key, cost), limiter.tryAcquire(cost));
      }
    }),
    RUNS,
  );
});
