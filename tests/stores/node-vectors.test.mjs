// Every recorded scenario through stored bytes, and all that it writes through each store.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { attempt, expected, integer } from "../../bindings-wasm/test/vectors/common.mjs";
import * as buckets from "../../bindings-wasm/test/vectors/buckets.mjs";
import * as cycles from "../../bindings-wasm/test/vectors/cycles.mjs";
import * as api from "./node-package.mjs";
import { StoredBucket, StoredCycle } from "./node-stored-key.mjs";
import { startPostgres, startRedis } from "./servers.mjs";

const read = (file) => JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url)));
/** The instant at which a scenario of cycles begins: all are counted from there. */
const ORIGIN = 1n << 62n;

/** What each scenario wrote: its name, and pairs of what was there and what then was. */
const written = [];

function recorder(name) {
  const writings = [];
  written.push({ name, writings });
  return (seen, bytes) => writings.push([seen, bytes]);
}

/** Whether two answers are the same, of which one has floats in it: to 1 ns, and 12 digits. */
function alike(found, wanted) {
  if (found !== null && typeof found === "object" && !Array.isArray(found)) {
    const keys = new Set([...Object.keys(found), ...Object.keys(wanted ?? {})]);
    return [...keys].every((key) => alike(found[key], wanted?.[key]));
  }
  if (Array.isArray(found)) return found.length === wanted?.length && found.every((item, at) => alike(item, wanted[at]));
  const isNumber = (value) => ["bigint", "number"].includes(typeof value) || /^-?\d+$/.test(value);
  if (!isNumber(found) || !isNumber(wanted)) return (found ?? null) === (wanted ?? null);
  return Math.abs(Number(found) - Number(wanted)) <= Math.max(1, Math.abs(Number(wanted)) * 1e-12);
}

function same(found, wanted, where) {
  assert.ok(alike(found, wanted), `${where}\n  answered ${show(found)}\n  expected ${show(wanted)}`);
}

const show = (value) => JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}` : item));

test("every recorded bucket scenario, through stored bytes", () => {
  let steps = 0;
  for (const scenario of read("bucket4j.json").scenarios) {
    const wrote = recorder(scenario.name);
    if (scenario.config === undefined) {
      buckets.runStored(api, scenario, { steps: 0 }, wrote);
      continue;
    }
    // No limits, no key: that is tested where limits are made.
    if ((scenario.expect_error ?? scenario.construction_error) != null) continue;
    const recorded = (scenario.steps ?? []).filter(({ op }) => op !== "remote_state_hex");
    const instants = [scenario.start_ns, ...recorded.map((step) => step.at_ns)].map(integer);
    const shift = instants.reduce((most, instant) => (-instant > most ? -instant : most), 0n);
    const clock = new api.ManualClock(integer(scenario.start_ns) + shift, { isWall: true });
    const bucket = new StoredBucket(buckets.bandwidths(api, scenario.config.bandwidths, shift), clock, wrote);
    recorded.forEach((step, index) => {
      clock.set(integer(step.at_ns) + shift);
      const before = bucket.value;
      const answer = attempt(() => buckets.perform(api, bucket, step, shift));
      const where = `${scenario.name} step ${index}: ${JSON.stringify(step)}`;
      same(answer, buckets.held(expected(step)), where);
      if (buckets.refused(answer)) assert.equal(bucket.value, before, `${where}: a refusal wrote`);
      steps += 1;
    });
  }
  assert.ok(steps > 5_000, `${steps} steps`);
});

test("every recorded cycle scenario, through stored bytes", () => {
  let steps = 0;
  for (const scenario of read("resilience4j.json").scenarios) {
    if (scenario.construct_error) continue;
    const { config } = scenario;
    const clock = new api.ManualClock(ORIGIN);
    const cycle = new api.Cycle(integer(config.limit_for_period), integer(config.limit_refresh_period_ns), {
      timeout: integer(config.timeout_ns),
    });
    const limiter = new StoredCycle(cycle, clock, recorder(scenario.name));
    scenario.steps.forEach((step, index) => {
      // A store does not number cycles, and has no threads that wait.
      if (step.op === "cycle" || step.op === "waiting") return;
      clock.set(ORIGIN + integer(step.at_ns));
      const where = `${scenario.name} step ${index}: ${JSON.stringify(step)}`;
      const answer = attempt(() => cycles.perform(api, limiter, step, []));
      same(answer, cycles.without(cycles.field(step, "result"), "java"), where);
      const available = cycles.field(step, "available");
      if (available != null) same(limiter.available(), available, where);
      steps += 1;
    });
  }
  assert.ok(steps > 2_000, `${steps} steps`);
});

/** Writes what all scenarios wrote, each as its own key, 32 of them at once. */
async function throughStore(store) {
  const left = written.map((scenario, index) => ({ ...scenario, key: `vectors:${index}` }));
  async function work() {
    for (let scenario = left.pop(); scenario !== undefined; scenario = left.pop()) {
      const { key, name, writings } = scenario;
      let last = null;
      for (const [seen, write] of writings) {
        const { present } = await store.compareAndSet([{ key, seen, write, keepMs: 3_600_000 }], 0);
        assert.equal(present, null, `${name}: what was written is not there`);
        last = write;
      }
      const { present } = await store.compareAndSet([{ key, seen: last, write: null, keepMs: 1 }], 0);
      assert.equal(present, null, `${name}: what was written last is not there`);
    }
  }
  await Promise.all(Array.from({ length: 32 }, work));
}

const redis = await startRedis();
const postgres = await startPostgres("-c", "synchronous_commit=off");
for (const [name, url, client] of [
  ["redis by ioredis", redis.url, "ioredis"],
  ["redis by node-redis", redis.url, "node-redis"],
  ["postgres", postgres.url],
]) {
  await test(`all that the scenarios wrote, through ${name}`, async () => {
    const { store, close } = await api.openStore(url, client);
    if (url === postgres.url) await store.install();
    else redis.cli("flushall");
    assert.ok(written.length > 500, `${written.length} scenarios`);
    await throughStore(store);
    await close();
  });
}

await test("all that the scenarios wrote, through memory", () => throughStore(new api.MemoryStore()));
