// The types of the stores, with those of the clients they are made for.
import { Cluster, Redis } from "ioredis";
import pg from "pg";
import { createClient, createCluster } from "redis";
import { PostgresStore, postgresOptions } from "tokenweir/postgres";
import { RedisStore, ioredisOptions, nodeRedisOptions } from "tokenweir/redis";
import { type Store, type StoredDecision, StoredLimiter, checkTogether } from "tokenweir/store";

export const stores: Store[] = [
  new RedisStore(new Redis({ port: 1, ...ioredisOptions() })),
  new RedisStore(new Cluster([{ port: 1 }])),
  new RedisStore(createClient(nodeRedisOptions())),
  new RedisStore(createCluster({ rootNodes: [] })),
  new PostgresStore(new pg.Pool(postgresOptions())),
  new PostgresStore(new pg.Client()),
];

export async function decide(limiter: StoredLimiter): Promise<number> {
  const decision: StoredDecision = await limiter.check("key", 2n);
  // @ts-expect-error Without the store there are no numbers.
  decision.remaining;
  if (decision.degraded) return decision.cause.code.length;
  const joint = await checkTogether([limiter.demand("a"), limiter.demand("b", 3)]);
  return joint.degraded ? decision.remaining : joint.decisions.length;
}

// @ts-expect-error A limiter is not a client.
new RedisStore(new StoredLimiter(stores[0]!, "1/s"));
// @ts-expect-error There is no such policy.
new StoredLimiter(stores[0]!, "1/s", { onStoreError: "hope" });
