import assert from "node:assert/strict";
import test from "node:test";
import { api } from "./package.mjs";

const { Bandwidth, KeyedLimiter, Limiter, Limits, ManualClock, checkAll } = api;

const withClock = (limits, options = {}) => {
  const clock = new ManualClock();
  return { clock, limiter: new Limiter(limits, { clock, ...options }) };
};

test("a cost is taken from every limit or from none", () => {
  const { limiter } = withClock("burst: 10/s; daily: cycle 12/day");
  assert.equal(limiter.tryAcquire(10), true);
  assert.equal(limiter.tryAcquire(1), false);
  assert.deepEqual(
    limiter.statuses().map((status) => status.available),
    [0, 2],
  );
});

test("a decision names the limit that decided, and its wait is kept", () => {
  const { clock, limiter } = withClock("burst: 3/s; daily: cycle 4/day");
  assert.deepEqual(limiter.check(3), {
    allowed: true,
    limit: 3,
    remaining: 0,
    retryAfterMs: 0,
    resetAfterMs: 1000,
    scope: "burst",
    never: false,
  });
  const refused = limiter.check();
  assert.deepEqual([refused.allowed, refused.scope, refused.retryAfterMs], [false, "burst", 333.333334]);
  assert.equal(limiter.tryAcquire(1, 333.333333), false);
  assert.equal(limiter.tryAcquire(1, 333.333334), true);
  clock.set(1_000);
  assert.deepEqual(
    [limiter.peek().scope, limiter.peek().retryAfterMs],
    ["daily", 86_399_000],
  );
});

test("a cost above what a limit can ever have is refused for ever", () => {
  const { limiter } = withClock("10/s");
  const decision = limiter.check(11);
  assert.deepEqual([decision.allowed, decision.never, decision.retryAfterMs], [false, true, Infinity]);
});

test("a reading may be given with each call, as milliseconds or as a bigint of nanoseconds", () => {
  const { limiter } = withClock("1/s");
  assert.equal(limiter.tryAcquire(1, 5), true);
  assert.equal(limiter.tryAcquire(1, 1_004_999_999n), false);
  assert.equal(limiter.tryAcquire(1n, 1_005_000_000n), true);
});

test("refund, reset, forceAdd, acquireUpTo and acquireIgnoringLimits do what they say", () => {
  const { limiter } = withClock("10/s");
  assert.equal(limiter.acquireUpTo(4), 4);
  limiter.refund(2);
  assert.equal(limiter.available(), 8);
  assert.equal(limiter.acquireIgnoringLimits(18), 1_000);
  assert.equal(limiter.available(), -10);
  assert.equal(limiter.timeToFull(), 2_000);
  limiter.reset();
  assert.equal(limiter.available(), 10);
  limiter.forceAdd(5);
  assert.equal(limiter.available(), 15);
  assert.equal(limiter.acquireUpTo(100), 15);
});

test("a reservation is given back until its time has come, once", () => {
  const { clock, limiter } = withClock("10/s");
  assert.equal(limiter.tryAcquire(10), true);
  const first = limiter.reserve(5);
  assert.deepEqual([first.amount, first.wait, first.readyAt], [5, 500, 500]);
  assert.equal(limiter.reserve(5, 999), null);
  assert.equal(limiter.cancel(first), true);
  assert.equal(limiter.cancel(first), false);
  const second = limiter.reserve(5, 1_000);
  clock.set(500);
  assert.equal(limiter.cancel(second), false);
  const other = new Limiter("10/s", { clock });
  assert.equal(other.cancel(limiter.reserve(1)), false);
});

test("limits of the same name take over from one another", () => {
  const { limiter } = withClock("api: 10/min; daily: 100/day");
  assert.equal(limiter.tryAcquire(4), true);
  limiter.update("daily: 100/day; api: 20/min", "proportional");
  assert.deepEqual(
    limiter.statuses().map((status) => status.available),
    [96, 12],
  );
  assert.equal(limiter.limits.names[1], "api");
  assert.throws(() => limiter.update("10/s", "halve"), TypeError);
});

test("limits read alike however they are written, and say what they are", () => {
  const limits = Limits.of("burst: 10/second burst 20; cycle 1000 per day aligned");
  assert.equal(`${limits}`, "burst: 10/s burst 20; cycle 1000/d aligned");
  assert.equal(limits.isAligned, true);
  assert.deepEqual(limits.describe()[0], { name: "burst", quota: 20, amount: 10, periodMs: 1_000, windowMs: 2_000 });
  const built = Limits.of([Bandwidth.greedy(20, 10, 1_000, { name: "burst" })]);
  assert.equal(`${built}`, "burst: 10/s burst 20");
  assert.equal(Limits.of(built), built);
});

test("text that is no limit is an error with the column", () => {
  assert.throws(() => new Limiter("100/s; 5/fortnight"), {
    name: "LimitSyntaxError",
    code: "limit_syntax",
    column: 10,
    message: /^column 10: expected a unit of time/,
  });
});

test("aligned limits take a wall clock by themselves and refuse another", () => {
  assert.equal(new Limiter("10/min aligned").clock, api.wallClock);
  assert.equal(new Limiter("10/min").clock, api.monotonicClock);
  assert.throws(() => new Limiter("10/min aligned", { clock: new ManualClock() }), {
    name: "RangeError",
    code: "aligned_requires_wall_clock",
    message: /^clock: /,
  });
});

test("who listens is told of every decision", () => {
  const events = [];
  const { limiter } = withClock("2/s", { onEvent: (event) => events.push(event) });
  limiter.tryAcquire(2);
  limiter.tryAcquire();
  limiter.refund();
  limiter.cancel(limiter.reserve(2));
  limiter.update("3/s", "reset");
  assert.deepEqual(
    events.map(({ type, cost, now }) => [type, cost, now]),
    [
      ["allowed", 2, 0],
      ["refused", 1, 0],
      ["refunded", 1, 0],
      ["reserved", 2, 0],
      ["refunded", 2, 0],
      ["updated", undefined, 0],
    ],
  );
  assert.equal(events[1].decision.retryAfterMs, 500);
  assert.equal(events[3].waitMs, 500);
});

test("several limiters decide together: all grant or none pays", () => {
  const clock = new ManualClock();
  const requests = new Limiter("10/min", { clock });
  const tokens = new KeyedLimiter("1000/min", { clock, maxKeys: 10 });
  assert.equal(checkAll([requests.demand(), tokens.demand("a", 800)]).allowed, true);
  const refused = checkAll([requests.demand(), tokens.demand("a", 201)]);
  assert.deepEqual([refused.allowed, refused.subject, refused.scope], [false, 1, "1000/min"]);
  assert.equal(requests.available(), 9);
  assert.equal(checkAll([requests.demand(), tokens.demand("b", 201)]).allowed, true);
  assert.throws(() => checkAll([requests.demand(), requests.demand()]), { code: "duplicate_subject" });
  assert.equal(requests.available(), 8);
});
