// What many processes are granted together is what the limits have.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PostgresStore, StoredLimiter, openStore, pg, stored } from "./node-package.mjs";
import { startPostgres, startRedis } from "./servers.mjs";

const WORKER = fileURLToPath(new URL("node-worker.mjs", import.meta.url));

/** What a worker with these arguments is granted. */
async function granted(...args) {
  const child = spawn(process.execPath, [WORKER, ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, `worker ${args.join(" ")}`);
  return Number(output);
}

/** What 8 processes are granted, each with these arguments; half of them by each client, where there are
 * two. */
async function together(...args) {
  return Promise.all(
    Array.from({ length: 8 }, (_, index) => granted(...args, "--client", index % 2 ? "ioredis" : "node-redis")),
  );
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

const redis = await startRedis();
const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
await new PostgresStore(pool).install();

for (const [name, url] of [
  ["redis", redis.url],
  ["postgres", postgres.url],
]) {
  await test(`${name}: 8 processes on one key are granted its 1000 tokens`, async () => {
    const shares = await together(url, "one", "1000/week", 200);
    assert.equal(sum(shares), 1000, String(shares));
  });

  await test(`${name}: 8 processes on 1000 keys are granted each one's token`, async () => {
    const shares = await together(url, "many", "1/week", 1000, "--keys", 1000);
    assert.equal(sum(shares), 1000, String(shares));
  });
}

await test("redis: a wrong wall clock grants nothing, where the client's clock would grant 30 s of tokens", async () => {
  const limits = "1000/hour";
  const ahead = await granted(redis.url, "skew", limits, 1500, "--wall-clock=30000");
  const behind = await granted(redis.url, "skew", limits, 500, "--wall-clock=-30000");
  // 3.6 s a token: few can have come while this ran.
  assert.ok(ahead >= 1000 && ahead + behind <= 1010, `${ahead} and ${behind}`);
  // What Bucket4j does with such stores: `now` is each client's wall clock.
  let value = null;
  const take = (now, count) => {
    let got = 0;
    for (let call = 0; call < count; call += 1) {
      const { outcome, write } = stored.step(value, { limits }, now, { type: "check", cost: 1 });
      value = write?.bytes ?? value;
      if (outcome.allowed) got += 1;
    }
    return got;
  };
  const start = Date.now();
  assert.equal(take(start, 1500), 1000);
  assert.equal(take(start + 30_000, 1500), 8, "tokens that have not come yet");
});

await test("a wall clock that jumps while a limiter runs changes nothing", async () => {
  const { store, close } = await openStore(redis.url);
  const limiter = new StoredLimiter(store, "10/hour", { deadlineMs: 5_000 });
  const { now } = Date;
  try {
    let got = 0;
    for (const jump of [0, 30_000, -30_000, 3_600_000, -3_600_000, 1e12]) {
      Date.now = () => now() + jump;
      for (let call = 0; call < 5; call += 1) if (await limiter.tryAcquire("jumps")) got += 1;
    }
    assert.equal(got, 10);
  } finally {
    Date.now = now;
    limiter.close();
    await close();
  }
});

await test("200 concurrent calls that create one key are granted what it has, and none fails", async () => {
  const clients = await Promise.all(Array.from({ length: 10 }, () => openStore(redis.url)));
  for (const stores of [clients.map(({ store }) => store), [new PostgresStore(pool), new PostgresStore(pool)]]) {
    const limiters = Array.from({ length: 40 }, (_, index) => {
      return new StoredLimiter(stores[index % stores.length], "100/day", { deadlineMs: 30_000 });
    });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => limiters[index % 40].check("created")));
    assert.equal(answers.filter(({ allowed }) => allowed).length, 100);
    assert.ok(answers.every(({ degraded }) => !degraded));
    for (const limiter of limiters) limiter.close();
  }
  for (const { close } of clients) await close();
});

await pool.end();
