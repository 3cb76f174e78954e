import assert from "node:assert/strict";
import test from "node:test";
import { api } from "./package.mjs";

const { KeyedLimiter, ManualClock } = api;

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

test("two keys never share a bucket", () => {
  const limiter = new KeyedLimiter("1/h", { clock: new ManualClock() });
  const keys = ["a", "b", "", "a ", "A", "__proto__", "constructor", "\0", "é", "e\u0301"];
  for (const key of keys) assert.equal(limiter.tryAcquire(key), true, JSON.stringify(key));
  for (const key of keys) assert.equal(limiter.tryAcquire(key), false, JSON.stringify(key));
});

test("rotating keys cannot buy a fresh burst, whatever the room", () => {
  for (const maxKeys of [10, 1_000, 1_024, 2_000]) {
    const clock = new ManualClock();
    const limiter = new KeyedLimiter("1/h", { clock, maxKeys });
    const granted = new Map();
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 1_025; index += 1) {
        const key = `client ${index}`;
        if (limiter.tryAcquire(key)) granted.set(key, (granted.get(key) ?? 0) + 1);
        clock.advance(1);
      }
    }
    assert.equal(granted.size, Math.min(maxKeys, 1_025));
    assert.ok([...granted.values()].every((count) => count === 1));
    assert.equal(limiter.size, Math.min(maxKeys, 1_025));
  }
});

test("a key without room is refused, or shares one limiter", () => {
  const clock = new ManualClock();
  const deny = new KeyedLimiter("2/h", { clock, maxKeys: 1 });
  assert.equal(deny.tryAcquire("a"), true);
  assert.equal(deny.tryAcquire("b"), false);
  assert.throws(() => deny.check("b"), { name: "TooManyKeysError", code: "too_many_keys", maxKeys: 1 });

  const share = new KeyedLimiter("2/h", { clock, maxKeys: 1, overflow: "share" });
  assert.equal(share.tryAcquire("a"), true);
  assert.deepEqual(
    ["b", "c", "d"].map((key) => share.tryAcquire(key)),
    [true, true, false],
  );
  assert.equal(share.size, 1);
  assert.equal(share.tryAcquire("a"), true);
});

test("keys that are full again make room for others, a depleted one does not", () => {
  const clock = new ManualClock();
  const limiter = new KeyedLimiter("1/s", { clock, maxKeys: 100 });
  for (let index = 0; index < 99; index += 1) limiter.tryAcquire(`old ${index}`);
  clock.set(SECOND - 1);
  limiter.tryAcquire("late");
  assert.equal(limiter.tryAcquire("new"), false);
  clock.set(SECOND);
  for (let index = 0; index < 99; index += 1) {
    assert.equal(limiter.tryAcquire(`new ${index}`), true, `${index}`);
  }
  assert.equal(limiter.tryAcquire("late"), false);
  assert.ok(limiter.size <= 100);
});

test("100 000 idle keys are given up a few at a time", () => {
  const clock = new ManualClock();
  const limiter = new KeyedLimiter("1/s", { clock });
  for (let index = 0; index < 100_000; index += 1) limiter.tryAcquire(`idle ${index}`);
  assert.equal(limiter.size, 100_000);
  clock.advance(HOUR);
  let before = limiter.size;
  for (let index = 0; index < 40_000; index += 1) {
    limiter.tryAcquire(`busy ${index}`);
    assert.ok(before - limiter.size <= 64, "no call gives up many");
    before = limiter.size;
  }
  assert.ok(limiter.size < 50_000, `${limiter.size} are left`);
});

test("looking at a key does not keep it", () => {
  const limiter = new KeyedLimiter("5/s", { clock: new ManualClock() });
  assert.equal(limiter.peek("a", 6).never, true);
  assert.equal(limiter.peek("a").remaining, 5);
  assert.equal(limiter.size, 0);
  limiter.tryAcquire("a");
  assert.equal(limiter.peek("a").remaining, 4);
  assert.equal(limiter.size, 1);
});

test("new limits hold for every key", () => {
  const limiter = new KeyedLimiter("10/s", { clock: new ManualClock() });
  limiter.tryAcquire("a", 5);
  limiter.update("20/s", "proportional");
  assert.deepEqual([limiter.available("a"), limiter.available("b")], [10, 20]);
  limiter.reset("a");
  assert.equal(limiter.available("a"), 20);
});

test("reservations and refunds go to their key", () => {
  const limiter = new KeyedLimiter("10/s", { clock: new ManualClock() });
  limiter.tryAcquire("a", 10);
  const reservation = limiter.reserve("a", 5);
  assert.equal(reservation.wait, 500);
  assert.equal(limiter.available("b"), 10);
  assert.equal(limiter.cancel("a", reservation), true);
  limiter.refund("a", 3);
  assert.equal(limiter.available("a"), 3);
});
