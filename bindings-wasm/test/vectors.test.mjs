import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { api } from "./package.mjs";
import { runBuckets } from "./vectors/buckets.mjs";
import { runCycles } from "./vectors/cycles.mjs";
import { runHttp } from "./vectors/http.mjs";
import { EXPECTED } from "./vectors/expected.mjs";

const read = (file) => JSON.parse(readFileSync(new URL(`../../tests/vectors/${file}`, import.meta.url)));

test("every recorded bucket scenario passes", () => {
  assert.deepEqual(runBuckets(api, read("bucket4j.json")), EXPECTED.buckets);
});

test("every recorded fixed-cycle scenario passes", () => {
  assert.deepEqual(runCycles(api, read("resilience4j.json")), EXPECTED.cycles);
});

test("every case of HTTP and back-off passes", () => {
  assert.deepEqual(runHttp(api, read("http.json")), EXPECTED.http);
});
