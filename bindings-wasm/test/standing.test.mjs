// What a service can say of the limits of a limiter after a decision.
import assert from "node:assert/strict";
import test from "node:test";
import { api, other } from "./package.mjs";

const { Bandwidth, Cycle, KeyedLimiter, Limiter, Limits, ManualClock, checkAll, http } = api;

const SECOND = 1_000_000_000n;

test("limits are announced by their name or their text, with the time in which all of the quota comes back", () => {
  const announced = (limits, scope) => http.policies(Limits.of(limits), scope).map(({ name, quota, window }) => [name, quota, window]);
  assert.deepEqual(announced("burst: 10/min burst 15; cycle 5/100ms"), [
    ["burst", 15n, 90_000],
    ["cycle 5/100ms", 5n, 100],
  ]);
  assert.deepEqual(announced(Limits.of([Bandwidth.interval(15, 10, 60_000), new Cycle(3, 1_000, { name: "c" })]), "user"), [
    ["user interval 10/min burst 15", 15n, 120_000],
    ["user c", 3n, 1_000],
  ]);
  // Nobody waits for a century.
  const [longest] = http.policies(Limits.of("1/15000w burst 9007199254740991"));
  assert.deepEqual([longest.quota, longest.window], [9_007_199_254_740_991n, undefined]);
  assert.throws(() => http.policies(Limits.of("10/s"), "größe"), { name: "RangeError", code: "policy_name_character" });
});

test("after a decision each limit says what is left, and when more is there", () => {
  const limiter = new Limiter("burst: 10/s; 100/h; cycle 12/min", { clock: new ManualClock() });
  const granted = limiter.demand(10).standing(limiter.check(10));
  assert.deepEqual(granted, [
    { remaining: 0n, reset: SECOND, retryAfter: 0n, effectiveWindow: SECOND / 10n },
    { remaining: 90n, reset: 360n * SECOND, retryAfter: 0n, effectiveWindow: 36n * SECOND },
    { remaining: 2n, reset: 60n * SECOND, retryAfter: 0n, effectiveWindow: 60n * SECOND },
  ]);
  const refused = limiter.demand(3).standing(limiter.check(3));
  assert.deepEqual(refused.map(({ retryAfter }) => retryAfter), [(3n * SECOND) / 10n, 0n, 60n * SECOND]);
  const never = limiter.demand(11).standing(limiter.check(11));
  assert.deepEqual(never.map(({ retryAfter }) => retryAfter), [null, 0n, 60n * SECOND]);
});

test("the limit that decided stands by its decision, whatever others have taken since", () => {
  const clock = new ManualClock();
  const limiter = new KeyedLimiter("2/s", { clock });
  limiter.tryAcquire("a", 2);
  const refused = limiter.check("a");
  limiter.refund("a", 2);
  const demand = limiter.demand("a");
  assert.equal(demand.standing(refused)[0].retryAfter, SECOND / 2n);
  // Of a decision that another limiter made, it says what it would say itself.
  assert.equal(demand.standing(refused, false)[0].retryAfter, 0n);
  assert.equal(demand.standing(refused, false)[0].remaining, 2n);
});

test("an instant may be given, as a number or a bigint", () => {
  const limiter = new Limiter("1/s", { clock: new ManualClock() });
  const decision = limiter.check(1, 0);
  for (const now of [250, 250_000_000n]) {
    assert.equal(limiter.demand().standing(decision, true, now)[0].reset, (3n * SECOND) / 4n);
  }
});

test("limiters of two packages, or by two clocks, do not decide together", async () => {
  const foreign = await other();
  const ours = new Limiter("1/s");
  const theirs = new foreign.Limiter("1/s");
  assert.throws(() => checkAll([ours.demand(), theirs.demand()]), { name: "TypeError", message: /^demands: / });
  const manual = new Limiter("1/s", { clock: new ManualClock() });
  assert.throws(() => checkAll([ours.demand(), manual.demand()]), { name: "TypeError", code: "different_clocks" });
  assert.equal(ours.available(), 1);
  // One reading for all is the caller's to give.
  assert.equal(checkAll([ours.demand(), manual.demand()], 5).allowed, true);
  assert.equal(manual.demand().checkAll([manual.demand()], 5).allowed, false);
});
