import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { Limiter, checkAll } from "tokenweir";

const index = import.meta.resolve("tokenweir");

/** Runs a function in a worker with the package; what it returns. */
function inWorker(run, data) {
  const code = `
    const { workerData, parentPort } = require("node:worker_threads");
    import(${JSON.stringify(index)}).then(async (api) => parentPort.postMessage(await (${run})(api, workerData)));`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData: data });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

test("worker threads share a limiter by its name: the sum is exact", async () => {
  const limiter = new Limiter("100000/day", { shared: "sum" });
  const take = ({ Limiter }) => {
    const limiter = new Limiter("100000/day", { shared: "sum" });
    let count = 0;
    for (let call = 0; call < 60_000; call += 1) count += limiter.tryAcquire(1, 0);
    return count;
  };
  const counts = await Promise.all(Array.from({ length: 4 }, () => inWorker(take)));
  assert.equal(
    counts.reduce((a, b) => a + b),
    100_000,
  );
  assert.equal(limiter.tryAcquire(1, 0), false);
});

test("all threads read the clock of a shared limiter alike", async () => {
  const limiter = new Limiter("1/day", { shared: "clock" });
  const read = ({ Limiter }) => new Limiter("1/day", { shared: "clock" }).clock.now();
  const before = limiter.clock.now();
  const there = await inWorker(read);
  assert.ok(before <= there && there <= limiter.clock.now());
});

test("what it was made with must be the same everywhere", () => {
  new Limiter("10/s", { shared: "same" });
  new Limiter("10 per second", { shared: "same" });
  assert.throws(() => new Limiter("11/s", { shared: "same" }), {
    name: "RangeError",
    code: "shared_limits_differ",
    message: 'limits: the limiter "same" was made with others: 10/s',
  });
  assert.throws(() => new Limiter("10/s", { shared: 5 }), { name: "TypeError", message: /^shared: / });
});

test("new limits hold in every thread, by their names", async () => {
  const limiter = new Limiter("old: 10/s", { shared: "update" });
  const update = ({ Limiter }) => {
    const limiter = new Limiter("old: 10/s", { shared: "update" });
    limiter.update("one: 5/s; two: 20/s", "reset");
    return limiter.limits.names;
  };
  assert.deepEqual(await inWorker(update), ["one", "two"]);
  assert.deepEqual([limiter.check().scope, limiter.limits.names], ["one", ["one", "two"]]);
  assert.equal(new Limiter("old: 10/s", { shared: "update" }).limits.names.length, 2);
});

test("waiting for a shared limiter works, also when another thread took everything", async () => {
  const limiter = new Limiter("50/s burst 1", { shared: "wait" });
  await inWorker(async ({ Limiter }) => {
    const limiter = new Limiter("50/s burst 1", { shared: "wait" });
    await limiter.acquire();
    await limiter.acquire();
  });
  const before = limiter.clock.now();
  limiter.acquireIgnoringLimits(1);
  await limiter.acquire();
  assert.ok(limiter.clock.now() - before >= 20);
});

test("a shared limiter decides by itself", () => {
  const limiter = new Limiter("10/s", { shared: "alone" });
  assert.throws(() => checkAll([limiter.demand(), new Limiter("1/s", { clock: limiter.clock }).demand()]), {
    code: "shared_subject",
  });
  assert.equal(limiter.available(), 10);
});

test("WebAssembly, which no two threads share, says so", () => {
  const code = `
    const { Limiter } = await import(${JSON.stringify(index)});
    try { new Limiter("10/s", { shared: "name" }); } catch (error) { console.log(error.name, error.code); }`;
  const env = { ...process.env, TOKENWEIR_ENGINE: "wasm" };
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], { env, encoding: "utf8" });
  assert.equal(output, "TokenweirError sharing_unavailable\n");
});
