// A process that asks a store for tokens, and prints how many it was granted.
//
//   node tests/stores/node-worker.mjs URL KEY LIMITS COUNT [options]
//
//   URL      redis://… or postgres://…, with the table made
//   KEY      the key, without the prefix of the store
//   LIMITS   as text: "1000/day"
//   COUNT    how often 1 token is asked for
//   --keys N          over N keys, KEY:0, KEY:1 … in turn, each equally often
//   --tasks N         so many at once; 16 unless given
//   --client NAME     ioredis (the default) or node-redis
//   --wall-clock MS   what the wall clock of this process is wrong by
//   --deadline MS     the deadline of a decision; 30000 unless given, so that a busy machine denies nothing
import { parseArgs } from "node:util";
import { StoredLimiter, openStore } from "./node-package.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keys: { type: "string" },
    tasks: { type: "string", default: "16" },
    client: { type: "string", default: "ioredis" },
    "wall-clock": { type: "string", default: "0" },
    deadline: { type: "string", default: "30000" },
  },
});
if (positionals.length !== 4) throw new Error("usage: node-worker.mjs URL KEY LIMITS COUNT [options]");
const [url, key, limits, count] = positionals;

const { now } = Date;
Date.now = () => now() + Number(values["wall-clock"]);

const { store, close } = await openStore(url, values.client);
const limiter = new StoredLimiter(store, limits, { deadlineMs: Number(values.deadline) });
let asked = 0;
let granted = 0;
async function work() {
  while (asked < Number(count)) {
    const index = asked;
    asked += 1;
    const name = values.keys === undefined ? key : `${key}:${index % Number(values.keys)}`;
    if (await limiter.tryAcquire(name)) granted += 1;
  }
}
await Promise.all(Array.from({ length: Number(values.tasks) }, work));
console.log(granted);
limiter.close();
await close();
