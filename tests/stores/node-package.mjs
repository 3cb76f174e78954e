// The built package and the clients it is tested with, which are installed beside it.
import { createRequire } from "node:module";
import { PostgresStore, postgresOptions } from "../../bindings-node/dist/node/postgres.js";
import { RedisStore, ioredisOptions, nodeRedisOptions } from "../../bindings-node/dist/node/redis.js";

const require = createRequire(new URL("../../bindings-node/package.json", import.meta.url));

export * from "../../bindings-node/dist/node/index.js";
export * from "../../bindings-node/dist/node/store.js";
export * as stored from "../../bindings-node/dist/node/stored.js";
export { PostgresStore, RedisStore, ioredisOptions, nodeRedisOptions, postgresOptions };
export const Ioredis = require("ioredis");
export const nodeRedis = require("redis");
export const pg = require("pg");

/** A store by a client that waits until it is connected, and what closes it. */
export async function openStore(url, client = "ioredis") {
  if (url.startsWith("postgres:")) {
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    pool.on("error", () => {});
    return { store: new PostgresStore(pool), client: pool, close: () => pool.end() };
  }
  if (client === "node-redis") {
    const redis = nodeRedis.createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } });
    redis.on("error", () => {});
    await redis.connect();
    return { store: new RedisStore(redis), client: redis, close: async () => redis.destroy() };
  }
  const { port } = new URL(url);
  const redis = new Ioredis.Redis({
    port: Number(port),
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => 50,
  });
  redis.on("error", () => {});
  if (redis.status !== "ready") await new Promise((resolve) => redis.once("ready", resolve));
  return { store: new RedisStore(redis), client: redis, close: async () => redis.disconnect() };
}
