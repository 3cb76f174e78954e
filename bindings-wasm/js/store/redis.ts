/** Limits in Redis, or what behaves like it. `docs/stores.md` of the core has the protocol. */
import { TokenweirError } from "../index.js";
import * as stored from "../stored.js";
import script from "../../../core/src/stored/scripts/compare_and_set.lua";
import { wrongType } from "./errors.js";
import { type RedisClient, type Run, runnerOf } from "./redis-clients.js";
import type { Answer, Comparison, Store } from "./store.js";

export type { IoredisClient, NodeRedisClient, RedisClient } from "./redis-clients.js";

/** What a store in Redis may be made with. */
export interface RedisStoreOptions {
  /** What all names begin with; `tokenweir:` unless given. */
  prefix?: string;
}

/** Options for `new Redis(…)` of ioredis, given the deadline in milliseconds: it fails in time instead of trying
 * again unseen. */
export const ioredisOptions = (deadlineMs = 50) =>
  ({
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  }) as const;

/** As {@link ioredisOptions}, for `createClient(…)` of node-redis. */
export const nodeRedisOptions = (deadlineMs = 50) =>
  ({
    disableOfflineQueue: true,
    socket: { connectTimeout: deadlineMs },
  }) as const;

/**
 * A store in Redis, by a client of ioredis or node-redis, for one server or a cluster.
 *
 * ```ts
 * const store = new RedisStore(new Redis({ host: "localhost", ...ioredisOptions() }));
 * const limiter = new StoredLimiter(store, "100/s");
 * ```
 */
export class RedisStore implements Store {
  readonly #prefix: string;
  readonly #run: Run;
  readonly #isCluster: boolean;

  constructor(client: RedisClient, options: RedisStoreOptions = {}) {
    const { prefix = "tokenweir:" } = options;
    if (typeof prefix !== "string") throw wrongType("prefix", "a string", prefix);
    this.#prefix = prefix;
    const { run, isCluster } = runnerOf(client, script);
    this.#run = run;
    this.#isCluster = isCluster;
  }

  compareAndSet(entries: readonly Comparison[], asOfUs: number): Promise<Answer> {
    const keys: string[] = [];
    const args: (string | Buffer)[] = [String(asOfUs)];
    for (const { key, seen, write, keepMs } of entries) {
      keys.push(this.#prefix + key);
      args.push(bufferOf(seen), bufferOf(write), String(keepMs));
    }
    return this.#run(keys, args).then(answer, rethrow);
  }

  checkKeys(keys: readonly string[]): void {
    if (!this.#isCluster) return;
    const slots = new Set(keys.map((key) => stored.hashSlot(this.#prefix + key)));
    if (slots.size > 1) {
      throw new TokenweirError(
        "keys_of_several_slots",
        `keys: ${keys.join(", ")} are of several hash slots; a cluster needs the same {tag} in all keys of a decision`,
      );
    }
  }
}

function answer([same, nowUs, ...present]: unknown[]): Answer {
  return { nowUs: Number(nowUs), present: same === 1 ? null : present.map(valueOf) };
}

function rethrow(error: unknown): never {
  if (String((error as Error)?.message).includes("WRONGTYPE")) {
    throw new TokenweirError("state_foreign", "under the key is something that is no state");
  }
  throw error;
}

const NONE = Buffer.alloc(0);

function bufferOf(value: Uint8Array | null): Buffer {
  return value === null ? NONE : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** A value of a reply, which is copied: it may be part of a large buffer. */
function valueOf(value: unknown): Uint8Array | null {
  return value === null || value === undefined ? null : new Uint8Array(value as Uint8Array);
}
