// The packages beside what people use instead, in one run. Each subject runs in processes of its own, in
// turn; what counts are the ratios, of the fastest rounds.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SUBJECTS } from "./subjects.mjs";

execFileSync(
  "cargo",
  ["build", "--release", "-p", "tokenweir-node", "--example", "noop", "--target-dir", "target/node"],
  { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: "inherit" },
);

const run = fileURLToPath(new URL("run.mjs", import.meta.url));
const TURNS = 5;
const nanos = new Map(Object.keys(SUBJECTS).map((name) => [name, Infinity]));
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const name of nanos.keys()) {
    const measured = Number(execFileSync(process.execPath, [run, name], { encoding: "utf8" }));
    nanos.set(name, Math.min(nanos.get(name), measured));
  }
}
for (const [name, value] of nanos) console.log(`${value.toFixed(1).padStart(9)} ns  ${name}`);

const ratio = (a, b) => nanos.get(a) / nanos.get(b);
const required = [
  ["wasm tryAcquire", "pure JavaScript, doubles", "at most", 3],
  ["limiter", "wasm tryAcquire", "at least", 3],
  ["native tryAcquire", "Node-API, no-op", "at most", 2],
  ["limiter", "native tryAcquire", "at least", 1.5],
  ["rate-limiter-flexible keyed", "wasm keyed", "at least", 4],
  ["rate-limiter-flexible keyed", "native keyed", "at least", 2.5],
];
console.log();
for (const [a, b, word, limit] of required) {
  const found = ratio(a, b);
  const isMet = word === "at most" ? found <= limit : found >= limit;
  console.log(`${found.toFixed(2).padStart(9)} ×   ${a} / ${b} (${word} ${limit}: ${isMet ? "met" : "MISSED"})`);
  if (!isMet) process.exitCode = 1;
}
