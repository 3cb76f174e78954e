// The recorded services, behind every framework and in every style, over HTTP.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { api } from "../package.mjs";
import { forEach, header, limits } from "./frameworks.mjs";

const { Bandwidth, KeyedLimiter, Limits, ManualClock } = api;
const { services } = JSON.parse(readFileSync(new URL("../../../tests/vectors/http.json", import.meta.url)));
const STYLES = ["draft", "draft-7", "legacy", "x-ratelimit", "none"];

const limitsOf = (service) =>
  Limits.of(
    service.limits.map(({ name, capacity, tokens, period_ns }) =>
      Bandwidth.greedy(Number(capacity), Number(tokens), BigInt(period_ns), { name }),
    ),
  );

/** A field, without how long what is left of the limits that do not refuse has to last. */
const withoutWindow = ([name, value]) => [name, name === "ratelimit" ? value.replace(/(r=[1-9]\d*);t=\d+/g, "$1") : value];
const windows = (fields) => fields.flatMap(([, value]) => [...value.matchAll(/;t=(\d+)/g)].map((match) => Number(match[1])));

for (const service of services) {
  for (const style of STYLES) {
    let clock;
    forEach(
      test,
      `${service.name}, as ${style}`,
      (install) => {
        clock = new ManualClock(0n);
        const limiter = new KeyedLimiter(limitsOf(service), { clock });
        install({ limiter, headers: style, cost: async (request) => Number(header(request, "x-cost")) });
      },
      async (call) => {
        for (const { at_ns, cost, status, repeat = 1, expect = {} } of service.steps) {
          clock.set(BigInt(at_ns));
          let reply;
          for (let time = 0; time < repeat; time += 1) {
            reply = await call("/", { "x-cost": cost });
            assert.equal(reply.status, status, `${cost} at ${at_ns}`);
          }
          if (expect[style]) {
            const expected = expect[style].map(([name, value]) => [name.toLowerCase(), value]).sort();
            const found = limits(reply);
            assert.deepEqual(found.map(withoutWindow), expected.map(withoutWindow), `${cost} at ${at_ns}`);
            // A limiter knows when more is there; the recorded services only when all is.
            windows(found).forEach((t, index) => assert.ok(t <= windows(expected)[index], `${cost} at ${at_ns}`));
          }
          if (style === "none" && status === 200) assert.deepEqual(limits(reply), []);
          if (status !== 429) continue;
          assert.match(reply.fields["content-type"][0], /^application\/problem\+json/);
          const problem = JSON.parse(reply.body);
          assert.equal(problem.type, "https://iana.org/assignments/http-problem-types#quota-exceeded");
          assert.equal(problem.status, 429);
        }
      },
    );
  }
}

// What a client of that service saw, and an exact retry.
let clock;
forEach(
  test,
  "a retry exactly when Retry-After says is served, not a second earlier",
  (install) => {
    clock = new ManualClock();
    install({ limiter: new KeyedLimiter("3/min burst 1", { clock }), headers: "none" });
  },
  async (call) => {
    for (let time = 0; time < 5; time += 1) {
      assert.equal((await call()).status, 200);
      clock.advance(700);
      const refused = await call();
      assert.deepEqual([refused.status, limits(refused)], [429, [["retry-after", "20"]]]);
      clock.advance(19_000);
      assert.equal((await call()).status, 429);
      clock.advance(1_000);
    }
  },
);
