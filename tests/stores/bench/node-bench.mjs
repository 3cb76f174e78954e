// Decisions a second and microseconds each, beside rate-limiter-flexible on the same servers in one run.
//
//   node node-bench.mjs [--quick]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startPostgres, startRedis } from "../servers.mjs";
import { SUBJECTS, ofPostgres, ofRedis } from "./node-subjects.mjs";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 2 : 7;
const CALLS = quick ? 300 : 3_000;
const SECONDS = quick ? 0.5 : 3;
const WORKER = fileURLToPath(new URL("node-worker.mjs", import.meta.url));

const ports = { redis: (await startRedis()).port, postgres: (await startPostgres()).port };

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);

function table(title, ...columns) {
  console.log(`\n${title}\n`);
  row("limiter", ...columns);
  row(...Array.from({ length: columns.length + 1 }, () => "---"));
}

/** Microseconds of each call. */
async function timed(decide, calls) {
  const micros = new Float64Array(calls);
  for (let call = 0; call < calls; call += 1) {
    const start = performance.now();
    await decide("one");
    micros[call] = (performance.now() - start) * 1_000;
  }
  return micros.sort();
}

/** One call after another, the subjects in turn so that all have the same weather. */
async function oneClient(names, binds) {
  const subjects = [];
  for (const name of names) subjects.push({ name, decide: await SUBJECTS[name](ports, binds), p50: [], p99: [] });
  for (const { decide } of subjects) await timed(decide, 2_000);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { decide, p50, p99 } of subjects) {
      const micros = await timed(decide, CALLS);
      p50.push(micros[CALLS >> 1]);
      p99.push(micros[Math.floor(CALLS * 0.99)]);
    }
  }
  for (const { name, p50, p99 } of subjects) row(name, median(p50).toFixed(1), median(p99).toFixed(1));
}

/** 64 tasks of one process on one key. */
async function manyTasks(names, binds) {
  const subjects = [];
  for (const name of names) subjects.push({ name, decide: await SUBJECTS[name](ports, binds), rates: [] });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { decide, rates } of subjects) {
      let left = CALLS * 4;
      const start = performance.now();
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          while (left > 0) {
            left -= 1;
            await decide("tasks");
          }
        }),
      );
      rates.push((CALLS * 4) / (performance.now() - start));
    }
  }
  for (const { name, rates } of subjects) row(name, (median(rates) * 1_000).toFixed(0));
}

/** Eight processes on one key, each one call after another. */
async function eightProcesses(names, binds) {
  for (const name of names) {
    const workers = Array.from({ length: 8 }, () => {
      const args = [WORKER, name, JSON.stringify(ports), String(binds), String(SECONDS)];
      return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    });
    const lines = workers.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
    await Promise.all(lines.map((line) => line.next()));
    for (const { stdin } of workers) stdin.write("go\n");
    const answers = await Promise.all(lines.map(async (line) => JSON.parse((await line.next()).value)));
    const each = (field) => answers.reduce((sum, answer) => sum + answer[field], 0) / SECONDS;
    row(name, each("decisions").toFixed(0), each("grants").toFixed(0));
  }
}

for (const [store, names] of [
  ["Redis", ofRedis],
  ["PostgreSQL", ofPostgres],
]) {
  for (const binds of [false, true]) {
    const limit = binds ? "1000/s, which binds" : "a limit that never binds";
    table(`${store}, one client, ${limit}: microseconds`, "p50", "p99");
    await oneClient(names, binds);
    table(`${store}, 64 tasks on one key, ${limit}: decisions a second`, "decisions/s");
    await manyTasks(names, binds);
    table(`${store}, 8 processes on one key, ${limit}: a second`, "decisions/s", "grants/s");
    await eightProcesses(names, binds);
  }
}
process.exit(0);
