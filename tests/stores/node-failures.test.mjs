// What becomes of decisions when the store fails: each answer within the deadline, and as the user chose.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Ioredis,
  PostgresStore,
  RedisStore,
  StoreError,
  StoredLimiter,
  ioredisOptions,
  nodeRedis,
  openStore,
  pg,
  postgresOptions,
} from "./node-package.mjs";
import { startPostgres, startRedis, startSilent, until } from "./servers.mjs";

/** Never opens, so that every answer is about the store itself. */
const NEVER = { volumeThreshold: 1_000_000 };
const slow = { deadlineMs: 5_000, breaker: NEVER };

/** Checks that a call is refused with a store's error of this code. */
async function fails(call, ...codes) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message} ${error.cause}`);
    return true;
  });
}

for (const client of ["ioredis", "node-redis"]) {
  const redis = await startRedis();
  const opened = await openStore(redis.url, client);
  const { store } = opened;

  await test(`${client}: SCRIPT FLUSH between two calls changes nothing`, async () => {
    const limiter = new StoredLimiter(store, "3/day", slow);
    for (const left of [2, 1, 0]) {
      assert.equal((await limiter.check("flush")).remaining, left);
      redis.cli("script", "flush");
    }
    assert.equal((await limiter.check("flush")).allowed, false);
    limiter.close();
  });

  await test(`${client}: every key has a time to live, of the time to full and a margin`, async () => {
    const fast = new StoredLimiter(store, "100/s burst 10", slow);
    const first = performance.now();
    const granted = [];
    for (let call = 0; call < 200; call += 1) granted.push(await fast.tryAcquire("short"));
    const earned = Math.floor(((performance.now() - first) / 1_000) * 100) + 1;
    const count = granted.filter(Boolean).length;
    assert.ok(count >= 10 && count <= 10 + earned, `${count} of 10 and ${earned}`);
    const left = Number(redis.cli("pttl", "tokenweir:short"));
    assert.ok(left > 0 && left <= 1_100, `${left} ms`);
    await new StoredLimiter(store, "1/min initial 0", slow).check("kept");
    assert.ok(Number(redis.cli("pttl", "tokenweir:kept")) > 30_000_000_000);
    fast.close();
  });

  await test(`${client}: what is no state is an error of its own, and stays`, async () => {
    const limiter = new StoredLimiter(store, "3/day", slow);
    redis.cli("set", "tokenweir:foreign", "hello");
    redis.cli("lpush", "tokenweir:list", "hello");
    for (const key of ["foreign", "list"]) {
      await assert.rejects(limiter.check(key), { code: "state_foreign" });
    }
    assert.equal(redis.cli("get", "tokenweir:foreign").trim(), "hello");
    assert.equal(limiter.isStoreOpen, false, "one key says nothing of the store");
    limiter.close();
  });

  await test(`${client}: a paused server is answered for in time, as each policy says`, async () => {
    const policies = ["raise", "allow", "deny", { local: "2/day" }];
    const limiters = policies.map((onStoreError) => new StoredLimiter(store, "1000/day", { onStoreError, breaker: NEVER }));
    for (const limiter of limiters) await new StoredLimiter(store, "1000/day", slow).check("paused");
    redis.cli("client", "pause", "400", "all");
    const [raise, allow, deny, local] = limiters;
    await fails(raise.check("paused"), "store_timeout");
    const answers = await Promise.all([allow.check("paused"), deny.check("paused")]);
    assert.deepEqual(answers.map(({ allowed, degraded, limit }) => [allowed, degraded, limit]), [
      [true, true, undefined],
      [false, true, undefined],
    ]);
    const shares = [];
    for (let call = 0; call < 3; call += 1) shares.push((await local.check("paused")).allowed);
    assert.deepEqual(shares, [true, true, false]);
    assert.deepEqual(limiters.map(({ counts }) => counts.degraded), [0, 1, 1, 3]);
    await fails(deny.acquire("paused"), "store_timeout");
    assert.deepEqual((await allow.acquire("paused")).degraded, true);
    // Nothing is left over when the pause is over: the store decides again.
    const again = new StoredLimiter(store, "1000/day", slow);
    assert.equal((await again.check("paused")).degraded, false);
    for (const limiter of [...limiters, again]) limiter.close();
  });

  await test(`${client}: who waits behind a request that fails is answered with it`, async () => {
    const limiter = new StoredLimiter(store, "1000/day", { breaker: NEVER });
    await limiter.check("behind").catch(() => {});
    redis.cli("client", "pause", "300", "all");
    const order = [];
    const calls = Array.from({ length: 20 }, (_, index) => limiter.check("behind").catch(() => order.push(index)));
    await Promise.all(calls);
    assert.equal(order.length, 20);
    assert.equal(limiter.counts.failures, 1, "one request was under way");
    limiter.close();
    await until(() => redis.cli("ping").trim() === "PONG", "the end of the pause");
  });

  await test(`${client}: a replica that is read-only is a failure, not a limit`, async () => {
    const replica = await startRedis("--replicaof", "127.0.0.1", String(redis.port));
    const { store: readOnly, close } = await openStore(replica.url, client);
    const limiter = new StoredLimiter(readOnly, "3/day", slow);
    await fails(limiter.check("replica"), "store_failed");
    limiter.close();
    await close();
    await replica.kill();
  });

  await test(`${client}: a full memory is a failure, not a limit`, async () => {
    redis.cli("config", "set", "maxmemory", "1");
    const limiter = new StoredLimiter(store, "3/day", slow);
    await fails(limiter.check("full"), "store_failed");
    redis.cli("config", "set", "maxmemory", "0");
    assert.equal((await limiter.check("full")).allowed, true);
    limiter.close();
  });

  await test(`${client}: a disk that cannot be written is a failure, not a limit`, async () => {
    const file = join(redis.dir, "dump.rdb");
    // A folder of the file's name: root cannot write there either.
    mkdirSync(join(file, "in-the-way"), { recursive: true });
    redis.cli("config", "set", "save", "1 1");
    redis.cli("config", "set", "stop-writes-on-bgsave-error", "yes");
    redis.cli("bgsave");
    await until(() => redis.cli("info", "persistence").includes("rdb_last_bgsave_status:err"), "a save that fails");
    const limiter = new StoredLimiter(store, "3/day", slow);
    await fails(limiter.check("disk"), "store_failed");
    rmSync(file, { recursive: true });
    redis.cli("config", "set", "save", "");
    redis.cli("config", "set", "stop-writes-on-bgsave-error", "no");
    limiter.close();
  });

  await test(`${client}: a server that is killed and started anew in mid-traffic is used again; its memory is gone`, async () => {
    const limiter = new StoredLimiter(store, "100000/day", { breaker: { volumeThreshold: 5, resetTimeoutMs: 100 } });
    const seen = { decided: 0, failed: 0, refused: 0 };
    let isRunning = true;
    const traffic = Array.from({ length: 8 }, async (_, task) => {
      while (isRunning) {
        try {
          const { allowed } = await limiter.check(`traffic:${task % 2}`);
          seen[allowed ? "decided" : "refused"] += 1;
        } catch (error) {
          assert.ok(error instanceof StoreError, String(error));
          seen.failed += 1;
        }
        await sleep(1);
      }
    });
    await until(() => seen.decided > 50, "traffic");
    await redis.kill();
    await until(() => seen.failed > 20 && limiter.isStoreOpen, "the breaker to open");
    await redis.start();
    const before = seen.decided;
    await until(() => seen.decided > before + 50, "traffic again");
    isRunning = false;
    await Promise.all(traffic);
    assert.equal(seen.refused, 0, "an outage is no limit");
    limiter.close();
  });

  await opened.close();
  await redis.kill();
}

await test("a server that accepts and never answers is answered for in time, and then left alone", async () => {
  const silent = await startSilent();
  const ioredis = new Ioredis.Redis({ port: silent.port, ...ioredisOptions(), enableReadyCheck: false, retryStrategy: () => null });
  ioredis.on("error", () => {});
  const redis = nodeRedis.createClient({ url: `redis://127.0.0.1:${silent.port}`, socket: { reconnectStrategy: false } });
  redis.on("error", () => {});
  redis.connect().catch(() => {});
  const pool = new pg.Pool({ host: "127.0.0.1", port: silent.port, user: "postgres", ...postgresOptions() });
  pool.on("error", () => {});
  for (const store of [new RedisStore(ioredis), new RedisStore(redis), new PostgresStore(pool)]) {
    const limiter = new StoredLimiter(store, "3/day");
    for (let call = 0; call < 5; call += 1) await fails(limiter.check("silent"), "store_timeout", "store_failed");
    await fails(limiter.check("silent"), "store_open");
    assert.equal(limiter.isStoreOpen, true);
    limiter.close();
  }
  ioredis.disconnect();
  redis.destroy();
  silent.close();
  await pool.end();
});

await test("postgres: a server that restarts is used again, and nothing is lost or minted", async () => {
  const postgres = await startPostgres();
  const { store, client, close } = await openStore(postgres.url);
  await store.install();
  const limiter = new StoredLimiter(store, "10/day", slow);
  for (let call = 0; call < 6; call += 1) await limiter.check("restart");
  await postgres.kill("SIGINT");
  await fails(limiter.check("restart"), "store_failed");
  await postgres.start();
  await until(() => client.query("SELECT 1").then(() => true, () => false), "the server");
  const granted = [];
  for (let call = 0; call < 8; call += 1) granted.push(await limiter.tryAcquire("restart"));
  assert.equal(granted.filter(Boolean).length, 4);
  limiter.close();
  await close();
});

await test("postgres: a read-only server is a failure, not a limit", async () => {
  const postgres = await startPostgres();
  const writer = await openStore(postgres.url);
  await writer.store.install();
  const pool = new pg.Pool({ connectionString: postgres.url, options: "-c default_transaction_read_only=on" });
  const limiter = new StoredLimiter(new PostgresStore(pool), "3/day", slow);
  await fails(limiter.check("read-only"), "store_failed");
  limiter.close();
  await pool.end();
  await writer.close();
});

await test("postgres: a row that somebody holds is answered for in time, and nothing is taken twice", async () => {
  const postgres = await startPostgres();
  const { store, client, close } = await openStore(postgres.url);
  await store.install();
  const limiter = new StoredLimiter(store, "10/day", { breaker: NEVER });
  const patient = new StoredLimiter(store, "10/day", slow);
  await patient.check("held");
  const holder = await client.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT * FROM tokenweir WHERE key = 'tokenweir:held' FOR UPDATE");
  // The first learns the time by reading, which nobody prevents; then its writing has to wait.
  await fails(limiter.check("held"), "store_timeout");
  await holder.query("ROLLBACK");
  holder.release();
  // What was asked too late is done by now: at most that one was lost.
  const { remaining } = await patient.check("held");
  assert.ok(remaining === 8 || remaining === 7, `${remaining} are left`);
  limiter.close();
  patient.close();
  await close();
});

await test("postgres: other isolation levels are a change of the value, not a failure", async () => {
  const postgres = await startPostgres();
  const pool = new pg.Pool({
    connectionString: postgres.url,
    max: 8,
    options: "-c default_transaction_isolation=serializable",
  });
  const store = new PostgresStore(pool);
  await store.install();
  const limiters = Array.from({ length: 8 }, () => new StoredLimiter(store, "20/day", { deadlineMs: 20_000 }));
  const granted = await Promise.all(Array.from({ length: 40 }, (_, index) => limiters[index % 8].tryAcquire("serial")));
  assert.equal(granted.filter(Boolean).length, 20);
  for (const limiter of limiters) limiter.close();
  await pool.end();
});
