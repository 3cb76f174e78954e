// The rules of a limiter over a store, by a store and clocks that do what they are told.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LocalBudget,
  ManualClock,
  MemoryStore,
  QueueFullError,
  RateLimitedError,
  StoreError,
  StoredLimiter,
  checkTogether,
  stored,
} from "./node-package.mjs";

const START = 1_790_000_000_000;

/** A store whose requests are counted, and can be held up. */
class Watched {
  requests = [];
  gate = Promise.resolve();
  constructor(clock) {
    this.inner = new MemoryStore({ clock });
  }
  async compareAndSet(entries, asOfUs) {
    this.requests.push({ entries, asOfUs });
    await this.gate;
    return this.inner.compareAndSet(entries, asOfUs);
  }
}

/** A store, and limiters of as many processes; time stands still unless it is moved. */
function scene(limits, options = {}, count = 1) {
  const clock = new ManualClock(START);
  const store = new Watched(clock);
  const limiters = Array.from({ length: count }, () => new StoredLimiter(store, limits, { clock, ...options }));
  return { clock, store, limiters, limiter: limiters[0] };
}

const allowedOf = async (calls) => (await Promise.all(calls)).map(({ allowed }) => allowed);

test("a decision takes one request, a refusal none", async () => {
  const { store, limiter } = scene("3/min");
  await limiter.check("a");
  store.requests.length = 0;
  assert.deepEqual(await allowedOf([limiter.check("a")]), [true]);
  assert.deepEqual(await allowedOf([limiter.check("a")]), [true]);
  assert.equal(store.requests.length, 2);
  for (let call = 0; call < 10; call += 1) assert.equal((await limiter.check("a")).retryAfterMs, 20_000);
  assert.equal(store.requests.length, 2);
  assert.equal(limiter.counts.localRefusals, 10);
});

test("a change by another is decided anew on what came back", async () => {
  const { store, limiters } = scene("3/min", {}, 2);
  const [a, b] = limiters;
  await a.check("k");
  await b.check("k");
  store.requests.length = 0;
  assert.equal((await a.check("k")).remaining, 0);
  assert.equal(store.requests.length, 2, "one that failed and one that did not");
  assert.equal((await b.check("k")).allowed, false);
});

test("what comes while the store is asked is decided together by the next request, and never too much", async () => {
  const { store, limiter } = scene("10/day");
  await limiter.check("k");
  store.requests.length = 0;
  const answers = await allowedOf(Array.from({ length: 30 }, () => limiter.check("k")));
  assert.equal(answers.filter(Boolean).length, 9);
  assert.equal(store.requests.length, 2);
  assert.deepEqual(answers, answers.toSorted((one, other) => Number(other) - Number(one)), "first come, first served");
});

test("keys do not wait for each other", async () => {
  const { store, limiter } = scene("10/day");
  await limiter.check("warm");
  let open;
  store.gate = new Promise((resolve) => (open = resolve));
  const [first, second] = [limiter.check("a"), limiter.check("b")];
  await null;
  assert.deepEqual(store.requests.slice(-2).map(({ entries }) => entries[0].key), ["a", "b"]);
  open();
  assert.deepEqual(await allowedOf([first, second]), [true, true]);
});

test("a refund, a reset and new limits are seen at once where they were made, and elsewhere within the bound", async () => {
  const { clock, limiters } = scene("2/day", { recheckMs: 1_000 }, 2);
  const [here, there] = limiters;
  const update = () => here.update("4/day", { version: 1, inheritance: "additive" });
  const changes = [() => here.reset("k"), () => here.refund("k", 1), update];
  for (const change of changes) {
    while ((await there.check("k")).allowed);
    assert.equal((await here.check("k")).allowed, false);
    await change();
    assert.equal((await here.peek("k")).allowed, true, String(change));
    assert.equal((await here.check("k")).allowed, true, String(change));
    assert.equal((await there.check("k")).allowed, false, "it may still be answered here");
    clock.advance(1_000);
    assert.equal((await there.peek("k")).limit, change === update ? 4 : 2);
    await there.check("k");
  }
});

test("the answer to a question is the store's", async () => {
  const { limiters } = scene("5/day", {}, 2);
  await limiters[0].check("k", 2);
  await limiters[1].check("k", 2);
  assert.equal((await limiters[0].peek("k")).remaining, 1);
  assert.deepEqual((await limiters[0].statuses("k")).map(({ available }) => available), [1]);
});

test("time is the store's: a local clock that runs ahead grants nothing before its time", async () => {
  const server = new ManualClock(START);
  const local = new ManualClock(0);
  const store = new Watched(server);
  const limiter = new StoredLimiter(store, "1/s", { clock: local });
  assert.equal((await limiter.check("k")).allowed, true);
  for (let call = 0; call < 20; call += 1) {
    // Ten times as fast as the server's.
    server.advance(100);
    local.advance(1_000);
    const { allowed } = await limiter.check("k");
    assert.equal(allowed, call % 10 === 9, `at ${(call + 1) * 100} ms`);
  }
});

test("a store's clock that goes back, or a local one that stops, grants nothing extra", async () => {
  const server = new ManualClock(START);
  const local = new ManualClock(0);
  const limiter = new StoredLimiter(new MemoryStore({ clock: server }), "2/hour", { clock: local, recheckMs: 0 });
  assert.deepEqual(await allowedOf([limiter.check("k"), limiter.check("k"), limiter.check("k")]), [true, true, false]);
  server.set(START - 3_600_000);
  assert.equal((await limiter.check("k")).allowed, false);
  server.set(START + 1_800_000);
  const later = [await limiter.check("k"), await limiter.check("k"), await limiter.check("k")];
  assert.equal(later.filter(({ allowed }) => allowed).length, 1);
});

test("a higher version takes over, a lower one does not roll it back, and what is told is what holds", async () => {
  const { limiters } = scene("10/min", { version: 1 }, 2);
  const [old, updated] = limiters;
  await old.check("k", 4);
  updated.update("20/min", { version: 2, inheritance: "additive" });
  assert.deepEqual([(await updated.check("k")).limit, (await updated.peek("k")).remaining], [20, 15]);
  const told = await old.check("k");
  assert.deepEqual([told.limit, told.remaining, told.scope], [20, 14, "20/min"]);
  old.update("5/min", { version: 1 });
  assert.equal((await old.peek("k")).limit, 20);
});

test("without a version what is stored stays in force", async () => {
  const clock = new ManualClock(START);
  const store = new MemoryStore({ clock });
  const [first, second] = ["3/min", "100/min"].map((limits) => new StoredLimiter(store, limits, { clock }));
  await first.check("k");
  assert.equal((await second.check("k")).limit, 3);
  clock.advance(120_000);
  assert.equal((await second.check("k")).limit, 100, "an expired key is as one that never was");
});

test("of several keys all pay or none", async () => {
  const { store, limiter: everybody } = scene("7/day");
  const users = new StoredLimiter(store, "5/day", { clock: everybody.link.clock });
  const ask = (user, cost) => checkTogether([users.demand(user, cost), everybody.demand("all", cost)]);
  assert.equal((await ask("a", 4)).allowed, true);
  const { allowed, decisions, retryAfterMs } = await ask("b", 4);
  assert.deepEqual([allowed, decisions.map((decision) => decision.allowed)], [false, [true, false]]);
  assert.equal(retryAfterMs, decisions[1].retryAfterMs);
  assert.equal((await users.peek("b", 5)).allowed, true, "nothing was taken there");
  // Many at once, in both orders, together with calls for one of the keys.
  const calls = Array.from({ length: 10 }, (_, index) => {
    const pair = [users.demand(`u${index}`), everybody.demand("all")];
    return checkTogether(index % 2 ? pair : pair.reverse());
  });
  const [joint, single] = await Promise.all([Promise.all(calls), everybody.check("all")]);
  assert.equal(joint.filter((decision) => decision.allowed).length + Number(single.allowed), 3);
});

test("a wait is planned ahead, among all processes in the order in which they came", async () => {
  const { clock, limiters } = scene("1/s", {}, 2);
  await limiters[0].check("k");
  const order = [];
  const wait = async (index) => {
    const { waitedMs } = await limiters[index % 2].acquire("k");
    order.push([index, Math.round(waitedMs)]);
  };
  const waits = [];
  for (let index = 0; index < 4; index += 1) {
    waits.push(wait(index));
    while (limiters[index % 2].waiting < Math.floor(index / 2) + 1 || clock.timers < index + 1) await turn();
  }
  for (let second = 0; second < 4; second += 1) {
    clock.advance(1_000);
    await turn();
  }
  await Promise.all(waits);
  assert.deepEqual(order, [[0, 1000], [1, 2000], [2, 3000], [3, 4000]]);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a wait that ends early gives back what it had taken, and leaves no timer", async () => {
  const { clock, limiter } = scene("1/min");
  await limiter.check("k");
  const controller = new AbortController();
  const waiting = limiter.acquire("k", 1, { signal: controller.signal });
  while (clock.timers === 0) await turn();
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, { message: "enough" });
  assert.deepEqual([clock.timers, limiter.waiting], [0, 0]);
  assert.equal((await limiter.peek("k")).retryAfterMs, 60_000);
  await assert.rejects(limiter.acquire("k", 1, { timeoutMs: 59_000 }), (error) => {
    return error instanceof RateLimitedError && error.code === "not_in_time" && error.retryAfterMs === 60_000;
  });
  await assert.rejects(limiter.acquire("k", 2), { code: "never" });
  const full = new StoredLimiter(limiter.store, "1/min", { clock, maxWaiting: 0 });
  await assert.rejects(full.acquire("k"), QueueFullError);
});

test("whoever is outrun by others at every attempt is answered by the policy, never refused", async () => {
  const clock = new ManualClock(START);
  const values = [1, 2].map((cost) => {
    return stored.step(null, { limits: "1000/day" }, BigInt(START) * 1_000_000n, { type: "check", cost }).write.bytes;
  });
  let turns = 0;
  const busy = {
    async compareAndSet(entries) {
      turns += 1;
      return { nowUs: START * 1_000 + turns, present: entries.map(() => values[turns % 2]) };
    },
  };
  const options = { deadlineMs: 30, breaker: { volumeThreshold: 1e6 } };
  await assert.rejects(new StoredLimiter(busy, "1000/day", options).check("k"), { code: "store_contended" });
  const lenient = new StoredLimiter(busy, "1000/day", { ...options, onStoreError: "allow", clock: undefined });
  const { allowed, degraded, cause } = await lenient.check("k");
  assert.deepEqual([allowed, degraded, cause.code], [true, true, "store_contended"]);
  assert.ok(turns > 4);
});

test("of several policies the strictest decides about several keys", async () => {
  const broken = { compareAndSet: () => Promise.reject(new Error("down")) };
  const of = (onStoreError) => new StoredLimiter(broken, "5/day", { onStoreError }).demand(String(onStoreError));
  const decided = async (...policies) => (await checkTogether(policies.map(of))).allowed;
  assert.equal(await decided("allow"), true);
  assert.equal(await decided("allow", "deny"), false);
  const local = new StoredLimiter(broken, "5/day", { onStoreError: { local: "1/day" } });
  const pair = () => [of("allow"), local.demand("mine")];
  assert.deepEqual([(await checkTogether(pair())).allowed, (await checkTogether(pair())).allowed], [true, false]);
  await assert.rejects(checkTogether([of("allow"), of("raise")]), StoreError);
});

test("without the store, each instance has its share of the limits, also of new ones", async () => {
  const broken = { compareAndSet: () => Promise.reject(new Error("down")) };
  const granted = async (limiter) => {
    let count = 0;
    while (await limiter.tryAcquire("k")) count += 1;
    return count;
  };
  const options = { onStoreError: { instances: 4 }, version: 1 };
  const limiter = new StoredLimiter(broken, "10/day; all: 40/week", options);
  assert.equal(await granted(limiter), 2);
  limiter.update("30/day", { version: 2, inheritance: "reset" });
  assert.equal(await granted(limiter), 7);
  assert.throws(() => new StoredLimiter(broken, "5/day", { onStoreError: { instances: 0 } }), /^RangeError: instances/);
});

test("a local budget spends what it has taken from the store, and gives back the rest", async () => {
  const { store, limiters } = scene("100/day", {}, 2);
  const budgets = limiters.map((limiter) => new LocalBudget(limiter, { slice: 20 }));
  let granted = 0;
  for (let call = 0; call < 30; call += 1) granted += Number(await budgets[call % 2].tryAcquire("hot"));
  assert.equal(granted, 30);
  assert.ok(store.requests.length < 10, `${store.requests.length} requests for 30 decisions`);
  assert.equal((await limiters[0].peek("hot")).remaining, 60);
  assert.deepEqual(budgets.map((budget) => budget.held("hot")), [5, 5]);
  await budgets[1].close();
  assert.equal((await limiters[0].peek("hot")).remaining, 65);
  const rest = await Promise.all(Array.from({ length: 200 }, () => budgets[0].tryAcquire("hot")));
  assert.equal(rest.filter(Boolean).length, 70, "all there was, however many ask at once");
  assert.equal(await budgets[0].tryAcquire("hot", 21), false);
});

test("few keys are remembered, and forgetting one costs no more than a request", async () => {
  const { store, limiter } = scene("2/day", { maxKeys: 10 });
  for (let round = 0; round < 3; round += 1) {
    for (let key = 0; key < 30; key += 1) {
      assert.equal((await limiter.check(`k${key}`)).allowed, round < 2, `round ${round}`);
    }
  }
  assert.equal(limiter.flights.size, 10);
  assert.equal(store.inner.size, 30);
});

test("a misuse is an error that names the argument, whatever the store does, and takes nothing", async () => {
  const broken = { compareAndSet: () => Promise.reject(new Error("down")) };
  const limiter = new StoredLimiter(broken, "5/day", { onStoreError: "allow" });
  for (const cost of [0, -1, 1.5, NaN, Infinity, 2 ** 63]) {
    await assert.rejects(limiter.check("k", cost), (error) => error instanceof RangeError && /^cost/.test(error.message));
    assert.throws(() => limiter.demand("k", cost), /^RangeError: cost/);
  }
  await assert.rejects(limiter.check("k", "1"), /^TypeError: cost/);
  await assert.rejects(limiter.check(5), /^TypeError: key/);
  assert.throws(() => new StoredLimiter({}, "5/day"), /^TypeError: store/);
  assert.throws(() => new StoredLimiter(broken, "5/day", { onStoreError: "perhaps" }), /^TypeError: onStoreError/);
  assert.throws(() => new StoredLimiter(broken, "5/day", { deadlineMs: 0 }), /^RangeError: deadlineMs/);
  assert.throws(() => new StoredLimiter(broken, "5/day", { version: 2n ** 64n }), /^RangeError: version/);
  assert.throws(() => limiter.update("5/day"), /^TypeError: version/);
  await assert.rejects(checkTogether([]), /^TypeError: demands/);
  await assert.rejects(checkTogether([limiter.demand("k"), limiter.demand("k")]), /^TypeError: demands/);
});
