import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { api } from "./package.mjs";
import { runBuckets } from "./vectors/buckets.mjs";
import { runCycles } from "./vectors/cycles.mjs";
import { EXPECTED } from "./vectors/expected.mjs";

const read = (file) => JSON.parse(readFileSync(new URL(`../../tests/vectors/${file}`, import.meta.url)));

test("every recorded bucket scenario passes", () => {
  const file = read("bucket4j.json");
  assert.equal(file.scenarios.length, EXPECTED.bucketScenarios);
  assert.deepEqual(runBuckets(api, file), EXPECTED.buckets);
});

test("every recorded fixed-cycle scenario passes", () => {
  const file = read("resilience4j.json");
  assert.deepEqual(runCycles(api, file), EXPECTED.cycles);
});
