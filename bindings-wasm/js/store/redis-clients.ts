import { createHash } from "node:crypto";
import { wrongType } from "./errors.js";

/** As much of a client of ioredis as is used, of `Redis` and of `Cluster`. */
export interface IoredisClient {
  callBuffer(command: string, ...args: (string | Buffer | number)[]): Promise<unknown>;
  readonly isCluster?: boolean;
}

/** As much of a client of node-redis as is used, of one server and of a cluster. */
export interface NodeRedisClient {
  withTypeMapping(mapping: Record<number, unknown>): {
    evalSha(sha: string, options: { keys: string[]; arguments: (string | Buffer)[] }): Promise<unknown>;
    eval(script: string, options: { keys: string[]; arguments: (string | Buffer)[] }): Promise<unknown>;
  };
}

/** A client that a store can use. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Runs a script. */
export type Run = (keys: string[], args: (string | Buffer)[]) => Promise<unknown[]>;

/** The type of strings in replies: `$`. */
const BLOB_STRING = 36;

/** What runs a script by a client, and whether that is of a cluster. */
export function runnerOf(client: RedisClient, script: string): { run: Run; isCluster: boolean } {
  const sha = createHash("sha1").update(script).digest("hex");
  if (isIoredis(client)) {
    return {
      run: reloading(
        (keys, args) => client.callBuffer("evalsha", sha, keys.length, ...keys, ...args),
        (keys, args) => client.callBuffer("eval", script, keys.length, ...keys, ...args),
      ),
      isCluster: client.isCluster === true,
    };
  }
  if (typeof client?.withTypeMapping !== "function") {
    throw wrongType("client", "a client of ioredis or node-redis", client);
  }
  const binary = client.withTypeMapping({ [BLOB_STRING]: Buffer });
  return {
    run: reloading(
      (keys, args) => binary.evalSha(sha, { keys, arguments: args }),
      (keys, args) => binary.eval(script, { keys, arguments: args }),
    ),
    isCluster: "masters" in client,
  };
}

function isIoredis(client: RedisClient): client is IoredisClient {
  return typeof (client as Partial<IoredisClient> | null)?.callBuffer === "function";
}

type Call = (keys: string[], args: (string | Buffer)[]) => Promise<unknown>;

/** Sends the script itself if the server does not have it, or has it no longer. */
function reloading(bySha: Call, byText: Call): Run {
  return (keys, args) =>
    bySha(keys, args).catch((error: unknown) => {
      if (!String((error as Error)?.message).startsWith("NOSCRIPT")) throw error;
      return byText(keys, args);
    }) as Promise<unknown[]>;
}
