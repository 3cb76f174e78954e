// Every store does what a store must do, by every client.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Ioredis,
  MemoryStore,
  PostgresStore,
  RedisStore,
  StoredLimiter,
  checkTogether,
  conformance,
  nodeRedis,
  openStore,
  pg,
} from "./node-package.mjs";
import { startCluster, startPostgres, startRedis } from "./servers.mjs";

const closing = [];

async function opened(url, client) {
  const { store, close } = await openStore(url, client);
  closing.push(close);
  return store;
}

async function check(name, open) {
  for (const { name: what, run } of conformance(open)) await test(`${name}: ${what}`, run);
}

const memory = new MemoryStore();
await check("memory", () => memory);

const redis = await startRedis();
await check("redis by ioredis", () => opened(redis.url, "ioredis"));
await check("redis by node-redis", () => opened(redis.url, "node-redis"));

const { ports } = await startCluster();
const nodes = ports.map((port) => ({ host: "127.0.0.1", port }));
const byIoredis = new Ioredis.Cluster(nodes);
closing.push(async () => byIoredis.disconnect());
await check("cluster by ioredis", () => new RedisStore(byIoredis));
const byNodeRedis = nodeRedis.createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })) });
await byNodeRedis.connect();
closing.push(async () => byNodeRedis.destroy());
await check("cluster by node-redis", () => new RedisStore(byNodeRedis));

await test("on a cluster, a decision over keys of several slots says so before it asks", async () => {
  for (const client of [byIoredis, byNodeRedis]) {
    const limiter = new StoredLimiter(new RedisStore(client), "5/day", { deadlineMs: 5_000 });
    const ask = (...keys) => checkTogether(keys.map((key) => limiter.demand(key)));
    assert.equal((await ask("{api}:user:1", "{api}:all")).allowed, true);
    await assert.rejects(ask("user:1", "all"), { code: "keys_of_several_slots" });
    assert.equal(limiter.counts.failures, 0);
    limiter.close();
  }
});

const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: postgres.url, max: 8 });
closing.push(() => pool.end());
await test("several processes may make the table at once", async () => {
  await Promise.all(Array.from({ length: 4 }, () => new PostgresStore(pool).install()));
});
await check("postgres", () => new PostgresStore(pool));

await test("postgres: what has expired is deleted in pages, and nothing else", async () => {
  const store = new PostgresStore(pool, { prefix: "sweep:" });
  const writing = (key, keepMs) => ({ key, seen: null, write: Uint8Array.of(1), keepMs });
  for (let index = 0; index < 1_200; index += 1) {
    await store.compareAndSet([writing(`${index}`, index % 2 === 0 ? 1 : 3_600_000)], 0);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let page = 0; page < 3; page += 1) await store.sweep();
  const { rows } = await pool.query("SELECT count(*)::int AS n FROM tokenweir WHERE key LIKE 'sweep:%'");
  if (rows[0].n !== 600) throw new Error(`${rows[0].n} of 600 are left`);
});

for (const close of closing) await close();
