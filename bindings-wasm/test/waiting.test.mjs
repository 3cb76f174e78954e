import assert from "node:assert/strict";
import test from "node:test";
import { api } from "./package.mjs";

const { KeyedLimiter, Limiter, ManualClock } = api;

const make = (limits, options = {}) => {
  const clock = new ManualClock();
  return { clock, limiter: new Limiter(limits, { clock, ...options }) };
};

/** Lets everything run that has been promised. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Notes what becomes of promises, in order. */
function watch(...promises) {
  const log = [];
  promises.forEach((promise, index) =>
    promise.then(
      () => log.push(index),
      (error) => log.push([index, error.code ?? error.message ?? error]),
    ),
  );
  return log;
}

/** How many listeners a signal has. */
async function listeners(signal) {
  const { getEventListeners } = await import("node:events");
  return getEventListeners(signal, "abort").length;
}

test("what is there is granted at once, without a timer", async () => {
  const { clock, limiter } = make("10/s");
  await limiter.acquire(10);
  assert.equal(clock.timers, 0);
  assert.equal(limiter.waiting, 0);
});

test("first come, first served: a large cost is not starved by small ones", async () => {
  const { clock, limiter } = make("10/s");
  limiter.tryAcquire(10);
  const log = watch(limiter.acquire(8), limiter.acquire(1), limiter.acquire(1));
  assert.equal(limiter.waiting, 3);
  for (const [now, expected] of [
    [799, []],
    [800, [0]],
    [899, [0]],
    [900, [0, 1]],
    [1_000, [0, 1, 2]],
  ]) {
    clock.set(now);
    assert.equal(limiter.tryAcquire(), false, "nobody overtakes");
    await settled();
    assert.deepEqual(log, expected);
  }
  assert.deepEqual([limiter.waiting, clock.timers], [0, 0]);
});

test("5000 waiters have one timer", async () => {
  const { clock, limiter } = make("1000/s");
  limiter.tryAcquire(1_000);
  const waiters = Array.from({ length: 5_000 }, () => limiter.acquire());
  assert.equal(clock.timers, 1);
  const log = watch(...waiters);
  clock.set(2_500);
  await settled();
  assert.equal(log.length, 2_500);
  assert.equal(clock.timers, 1);
  clock.set(5_000);
  await Promise.all(waiters);
  assert.deepEqual(log, [...Array(5_000).keys()]);
  assert.equal(clock.timers, 0);
});

test("a wait beyond the timeout is refused at once, one equal to it is not", async () => {
  const { clock, limiter } = make("1/10s");
  limiter.tryAcquire();
  const started = Array.from({ length: 10 }, () => limiter.acquire(1, { timeoutMs: 1_000 }));
  const results = await Promise.allSettled(started);
  assert.ok(results.every(({ reason }) => reason.name === "RateLimitedError" && reason.code === "not_in_time"));
  assert.equal(results[0].reason.retryAfterMs, 10_000);
  assert.equal(limiter.available(), 0);
  const log = watch(limiter.acquire(1, { timeoutMs: 10_000 }));
  await settled();
  clock.set(10_000);
  await settled();
  assert.deepEqual(log, [0]);
  await assert.rejects(limiter.acquire(1, { timeoutMs: 0 }), { code: "not_in_time" });
  await assert.rejects(limiter.acquire(1, { timeoutMs: NaN }), { name: "RangeError", message: /^timeoutMs/ });
});

test("what can never be granted is refused at once", async () => {
  const { clock, limiter } = make("10/s");
  await assert.rejects(limiter.acquire(11), { code: "never", retryAfterMs: Infinity });
  assert.equal(clock.timers, 0);
  assert.equal(limiter.available(), 10);
});

test("an aborted wait returns its tokens, leaves no listener, and the others move up", async () => {
  const { clock, limiter } = make("10/s");
  limiter.tryAcquire(10);
  const controller = new AbortController();
  const log = watch(limiter.acquire(10, { signal: controller.signal }), limiter.acquire(5));
  assert.equal(await listeners(controller.signal), 1);
  controller.abort(new Error("no longer wanted"));
  assert.equal(limiter.available(), -5);
  assert.equal(await listeners(controller.signal), 0);
  clock.set(500);
  await settled();
  assert.deepEqual(log, [[0, "no longer wanted"], 1]);
  assert.deepEqual([limiter.waiting, clock.timers], [0, 0]);
  await assert.rejects(limiter.acquire(1, { signal: controller.signal }), { message: "no longer wanted" });
});

test("a signal that aborts everybody empties the queue", async () => {
  const { clock, limiter } = make("10/s");
  limiter.tryAcquire(10);
  const controller = new AbortController();
  const waiters = Array.from({ length: 3_000 }, () => limiter.acquire(1, { signal: controller.signal }));
  const results = Promise.allSettled(waiters);
  controller.abort();
  assert.ok((await results).every(({ reason }) => reason.name === "AbortError"));
  await settled();
  assert.deepEqual([limiter.waiting, limiter.available(), clock.timers], [0, 0, 0]);
});

test("a queue that is full says so", async () => {
  const { limiter } = make("1/s", { maxWaiting: 2 });
  limiter.tryAcquire();
  void limiter.acquire();
  void limiter.acquire();
  await assert.rejects(limiter.acquire(), { name: "QueueFullError", code: "queue_full", maxWaiting: 2 });
  assert.equal(limiter.available(), -2);
});

test("new limits re-plan those who wait", async () => {
  const { clock, limiter } = make("1/h");
  limiter.tryAcquire();
  const log = watch(limiter.acquire(), limiter.acquire());
  limiter.update("10/s");
  clock.set(100);
  await settled();
  assert.deepEqual(log, [0]);
  clock.set(200);
  await settled();
  assert.deepEqual(log, [0, 1]);
});

test("new limits that are too slow for a timeout, or too small, refuse those who wait", async () => {
  const { limiter } = make("10/s");
  limiter.tryAcquire(10);
  const log = watch(limiter.acquire(5, { timeoutMs: 1_000 }), limiter.acquire(2));
  limiter.update("2/h");
  await settled();
  assert.deepEqual(log, [[0, "never"]]);
  limiter.reset();
  await settled();
  assert.deepEqual(log, [[0, "never"], 1]);
});

test("refunds and resets shorten the wait", async () => {
  const { limiter } = make("10/min");
  limiter.tryAcquire(10);
  const log = watch(limiter.acquire(2), limiter.acquire(3));
  limiter.refund(2);
  await settled();
  assert.deepEqual(log, [0]);
  limiter.reset();
  await settled();
  assert.deepEqual(log, [0, 1]);
  assert.equal(limiter.available(), 7);
});

test("a wait longer than timers can count is waited for in parts", async () => {
  const { limiter } = make("1/60d");
  limiter.tryAcquire();
  const delays = [];
  const clock = { now: () => 0, setTimer: (_, millis) => (delays.push(millis), () => {}) };
  const slow = new Limiter("1/60d", { clock });
  slow.tryAcquire();
  void slow.acquire();
  assert.deepEqual(delays, [2 ** 31 - 1]);
});

test("waiting on one key never delays another, by one timer for all", async () => {
  const clock = new ManualClock();
  const limiter = new KeyedLimiter("1/s", { clock });
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
  for (const key of keys) {
    limiter.tryAcquire(key);
    clock.advance(10);
  }
  const log = watch(...keys.map((key) => limiter.acquire(key)));
  assert.equal(clock.timers, 1);
  clock.set(1_245);
  await settled();
  assert.deepEqual(log, [...Array(25).keys()]);
  await limiter.acquire("another");
  clock.set(1_490);
  await settled();
  assert.equal(log.length, 50);
  assert.deepEqual([limiter.waiting, clock.timers], [0, 0]);
});

test("limits, timers and waits work with a clock of bigints", async () => {
  const clock = new ManualClock(5n);
  const limiter = new Limiter("10/s", { clock });
  limiter.tryAcquire(10);
  const log = watch(limiter.acquire(3, { timeoutMs: 300 }));
  clock.set(300_000_004n);
  await settled();
  assert.deepEqual(log, []);
  clock.set(300_000_005n);
  await settled();
  assert.deepEqual(log, [0]);
});

test("10 000 acquires by real time leave no listener and no timer", async () => {
  const limiter = new Limiter("20000/s burst 100");
  const { signal } = new AbortController();
  const started = performance.now();
  let done = 0;
  const worker = async () => {
    while (done < 10_000) {
      done += 1;
      await limiter.acquire(1, { signal });
    }
  };
  await Promise.all(Array.from({ length: 200 }, worker));
  // 100 were there, the others came at 20 each millisecond.
  assert.ok(performance.now() - started >= (10_000 - 100) / 20 - 1);
  assert.equal(await listeners(signal), 0);
  assert.equal(limiter.waiting, 0);
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout"),
    [],
  );
});
