// The limiters that are compared: each a function that makes one decision about a key.
import Redis from "ioredis";
import pg from "pg";
import { RateLimiterPostgres, RateLimiterRedis } from "rate-limiter-flexible";
import { createClient } from "redis";
import { PostgresStore, RedisStore, StoredLimiter } from "../node-package.mjs";

const ioredis = async (port) => new Redis({ port, host: "127.0.0.1" });

async function nodeRedis(port) {
  return createClient({ url: `redis://127.0.0.1:${port}` }).connect();
}

/** By 1000 tokens a second, or by so many that it never binds. */
const points = (binds) => (binds ? 1_000 : 1_000_000_000);

const consume = (limiter) => (key) =>
  limiter.consume(key).then(
    () => true,
    (refusal) => {
      if (refusal instanceof Error) throw refusal;
      return false;
    },
  );

function tokenweir(store, binds) {
  const limiter = new StoredLimiter(store, `${points(binds)}/s`, { deadlineMs: 10_000 });
  return async (key) => (await limiter.check(key)).allowed;
}

/** By name: makes the limiter, given the ports of the servers and whether its limit binds. */
export const SUBJECTS = {
  "tokenweir, ioredis": async ({ redis }, binds) => tokenweir(new RedisStore(await ioredis(redis)), binds),
  "rate-limiter-flexible, ioredis": async ({ redis }, binds) =>
    consume(new RateLimiterRedis({ storeClient: await ioredis(redis), points: points(binds), duration: 1 })),
  "tokenweir, node-redis": async ({ redis }, binds) => tokenweir(new RedisStore(await nodeRedis(redis)), binds),
  "rate-limiter-flexible, node-redis": async ({ redis }, binds) =>
    consume(
      new RateLimiterRedis({
        storeClient: await nodeRedis(redis),
        useRedisPackage: true,
        points: points(binds),
        duration: 1,
      }),
    ),
  "tokenweir, postgres": async ({ postgres }, binds) => {
    const store = new PostgresStore(pool(postgres));
    await store.install();
    return tokenweir(store, binds);
  },
  "rate-limiter-flexible, postgres": async ({ postgres }, binds) => {
    // Its points are 32-bit integers there.
    const options = { storeClient: pool(postgres), storeType: "pool", points: Math.min(points(binds), 2e9), duration: 1 };
    const limiter = await new Promise((resolve, reject) => {
      const made = new RateLimiterPostgres(options, (error) => (error ? reject(error) : resolve(made)));
    });
    return consume(limiter);
  },
};

const pool = (port) =>
  new pg.Pool({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`, max: 4 });

/** The names of the subjects of a store. */
export const ofRedis = Object.keys(SUBJECTS).filter((name) => !name.endsWith("postgres"));
export const ofPostgres = Object.keys(SUBJECTS).filter((name) => name.endsWith("postgres"));
