// What becomes of a request, behind every framework.
import assert from "node:assert/strict";
import test from "node:test";
import { api, other, web } from "../package.mjs";
import { forEach, header, limits } from "./frameworks.mjs";

const { KeyedLimiter, Limiter, ManualClock, TokenweirError } = api;
const { apiKey, clientAddress, user } = await web("express");

const keyed = (limits, options = {}) => new KeyedLimiter(limits, { clock: new ManualClock(), ...options });
const statuses = async (call, ...requests) => {
  const found = [];
  for (const headers of requests) found.push((await call("/", headers)).status);
  return found;
};
const from = (address) => ({ "x-forwarded-for": address });

/** A test whose service is made anew for each framework. */
const each = (name, make, run) => {
  let made;
  forEach(
    test,
    name,
    (install) => {
      made = make(install);
    },
    (call, errors) => run(call, made, errors),
  );
};

each(
  "clients are told apart by the address of their connection, whatever they say themselves",
  (install) => {
    const limiter = keyed("1/min");
    install({ limiter });
    return limiter;
  },
  async (call, limiter) => {
    assert.deepEqual(await statuses(call, from("192.0.2.1"), from("192.0.2.2")), [200, 429]);
    assert.equal(limiter.available("address:127.0.0.1"), 0);
  },
);

each(
  "behind a trusted proxy the address is the one it wrote, without a port, and IPv6 by its /64",
  (install) => install({ limiter: keyed("1/min"), key: clientAddress({ trustedProxies: 1 }) }),
  async (call) => {
    const addresses = ["192.0.2.1", "made-up, 192.0.2.1:4711", "192.0.2.2", "2001:db8:1:2::3", "[2001:db8:1:2:9::4]:80", "2001:db8:1:3::3"];
    assert.deepEqual(await statuses(call, ...addresses.map(from)), [200, 429, 200, 200, 429, 200]);
  },
);

each(
  "an API key and a user have limits of their own, and whoever has neither is known by address",
  (install) => {
    const limiter = keyed("1/min");
    install({ limiter, key: [user((request) => header(request, "x-user")), apiKey()] });
    return limiter;
  },
  async (call, limiter) => {
    const requests = [{ "x-user": "7" }, { "x-api-key": "7" }, { "x-api-key": "8" }, {}, { "x-user": "7", "x-api-key": "9" }, { "x-api-key": "8" }, {}];
    assert.deepEqual(await statuses(call, ...requests), [200, 200, 200, 200, 429, 429, 429]);
    for (const key of ["user:7", "key:7", "key:8", "address:127.0.0.1"]) assert.equal(limiter.available(key), 0, key);
    assert.equal(limiter.size, 4);
  },
);

each(
  "a plan has its own limits, and one that is not there is an error that names it",
  (install) =>
    install({
      plans: { free: keyed("1/min"), pro: keyed("3/min") },
      plan: async (request, key) => header(request, "x-plan") ?? (key === "key:rich" ? "pro" : "free"),
      key: apiKey(),
    }),
  async (call, _, errors) => {
    assert.deepEqual(await statuses(call, {}, {}), [200, 429]);
    const rich = { "x-api-key": "rich" };
    assert.deepEqual(await statuses(call, rich, rich, rich, rich), [200, 200, 200, 429]);
    assert.deepEqual(errors, []);
    const { status } = await call("/", { "x-plan": "constructor" });
    assert.equal(status, 500);
    assert.equal(errors.length, 1);
    assert.equal(errors[0].code, "unknown_plan");
    assert.equal(errors[0].message, 'plan: there is no plan "constructor", only free, pro');
  },
);

each(
  "of several scopes all grant or none pays, and the fields tell of all",
  (install) => {
    const clock = new ManualClock();
    const everybody = new Limiter("10/min", { clock });
    const users = new KeyedLimiter("2/min", { clock });
    install({
      scopes: [
        { name: "user", limiter: users },
        { name: "all", limiter: everybody, cost: (request) => Number(header(request, "x-size") ?? 1) },
      ],
      key: user((request) => header(request, "x-user")),
      headers: "draft",
    });
    return { everybody, users };
  },
  async (call, { everybody, users }) => {
    const [a, b] = [{ "x-user": "a" }, { "x-user": "b" }];
    const first = await call("/", a);
    assert.deepEqual(limits(first), [
      ["ratelimit", '"user 2/min";r=1;t=30, "all 10/min";r=9;t=6'],
      ["ratelimit-policy", '"user 2/min";q=2;w=60, "all 10/min";q=10;w=60'],
    ]);
    assert.deepEqual(await statuses(call, a, a, a), [200, 429, 429]);
    assert.equal(everybody.available(), 8);
    const refused = await call("/", { ...b, "x-size": "9" });
    assert.equal(refused.status, 429);
    assert.deepEqual(JSON.parse(refused.body)["violated-policies"], ["all 10/min"]);
    assert.deepEqual(refused.fields["retry-after"], ["6"]);
    assert.equal(users.available("user:b"), 2);
  },
);

each(
  "a dry run counts, tells, and refuses nobody",
  (install) => {
    const told = [];
    const limiter = keyed("2/min");
    install({ limiter, dryRun: true, onRefused: (_, refusal) => void told.push(refusal) });
    return { told, limiter };
  },
  async (call, { told, limiter }) => {
    const replies = [await call(), await call(), await call()];
    assert.deepEqual(replies.map((reply) => reply.status), [200, 200, 200]);
    assert.deepEqual(
      replies.map((reply) => reply.fields.ratelimit),
      [['"2/min";r=1;t=30'], ['"2/min";r=0;t=30'], ['"2/min";r=0;t=30']],
    );
    // Whoever was served has nothing to wait for.
    assert.equal(replies[2].fields["retry-after"], undefined);
    assert.equal(limiter.available("address:127.0.0.1"), 0);
    assert.deepEqual(
      told.map(({ isDryRun, key, cost, plan, scope, decision }) => [isDryRun, key, cost, plan, scope, decision.retryAfterMs]),
      [[true, "address:127.0.0.1", 1, undefined, "", 30_000]],
    );
  },
);

each(
  "a dry run serves also those there is no room for",
  (install) => install({ limiter: keyed("1/h", { maxKeys: 1 }), key: user((request) => header(request, "x-user")), dryRun: true }),
  async (call, _, errors) => {
    assert.deepEqual(await statuses(call, { "x-user": "a" }, { "x-user": "b" }), [200, 200]);
    assert.deepEqual(errors, []);
  },
);

each(
  "installed twice, it counts once and says each field once",
  (install) => {
    const limiter = keyed("10/min");
    const options = { limiter };
    install(options);
    install({ ...options, limiter: keyed("5/s") });
    return limiter;
  },
  async (call) => {
    for (let left = 9; left > 7; left -= 1) {
      assert.deepEqual(limits(await call()), [
        ["ratelimit", `"10/min";r=${left};t=6, "5/s";r=${left - 5};t=1`],
        ["ratelimit-policy", '"10/min";q=10;w=60, "5/s";q=5;w=1'],
      ]);
    }
    // The second refuses, and the first says nothing else.
    for (let more = 0; more < 3; more += 1) assert.equal((await call()).status, 200);
    const refused = await call();
    assert.equal(refused.status, 429);
    assert.deepEqual(limits(refused), [
      ["ratelimit", '"10/min";r=4;t=6, "5/s";r=0;t=1'],
      ["ratelimit-policy", '"10/min";q=10;w=60, "5/s";q=5;w=1'],
      ["retry-after", "1"],
    ]);
  },
);

each(
  "what the application says itself stays, once",
  (install) => install({ limiter: keyed("10/min") }),
  async (call) => {
    const { fields } = await call("/own");
    assert.deepEqual(fields.ratelimit, ['"own";r=1']);
    assert.deepEqual(fields["ratelimit-policy"], ['"10/min";q=10;w=60']);
  },
);

each(
  "the reply to an error tells of the limits as well",
  (install) => install({ limiter: keyed("10/min"), headers: "legacy" }),
  async (call, _, errors) => {
    const reply = await call("/fail");
    assert.equal(reply.status, 500);
    assert.deepEqual(limits(reply), [
      ["ratelimit-limit", "10"],
      ["ratelimit-remaining", "9"],
      ["ratelimit-reset", "6"],
    ]);
    assert.equal(errors.length, 1);
  },
);

each(
  "who is skipped is not counted, and who is refused is told of with what they are told",
  (install) => {
    const told = [];
    install({
      limiter: keyed("1/min"),
      skip: async (request) => header(request, "x-internal") === "yes",
      onRefused: async (_, { key }) => void told.push(key),
      detail: ({ decision }) => `${decision.limit} a minute, "please".`,
    });
    return told;
  },
  async (call, told) => {
    const internal = { "x-internal": "yes" };
    const skipped = await call("/", internal);
    assert.deepEqual([skipped.status, limits(skipped)], [200, []]);
    assert.deepEqual(await statuses(call, internal, {}, internal), [200, 200, 200]);
    const refused = await call();
    assert.deepEqual([refused.status, told], [429, ["address:127.0.0.1"]]);
    assert.deepEqual(JSON.parse(refused.body), {
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota Exceeded",
      status: 429,
      detail: '1 a minute, "please".',
      "violated-policies": ["1/min"],
    });
  },
);

each(
  "a refusal of a HEAD has no body",
  (install) => install({ limiter: keyed("1/min") }),
  async (call) => {
    assert.equal((await call("/", {}, "HEAD")).status, 200);
    const refused = await call("/", {}, "HEAD");
    assert.deepEqual([refused.status, refused.body, refused.fields["retry-after"]], [429, "", ["60"]]);
  },
);

const foreign = await other();
each(
  "a limiter of the other package is asked as well, alone and together with others of its kind",
  (install) => {
    const clock = new foreign.ManualClock();
    const make = (limits) => new foreign.KeyedLimiter(limits, { clock });
    install({ scopes: [{ name: "second", limiter: make("2/s") }, { name: "all", limiter: new foreign.Limiter("burst: 3/min; 5/h", { clock }) }] });
  },
  async (call) => {
    assert.deepEqual(await statuses(call, {}, {}), [200, 200]);
    const refused = await call();
    assert.equal(refused.status, 429);
    assert.deepEqual(limits(refused), [
      ["ratelimit", '"second 2/s";r=0;t=1, "all burst";r=1;t=20, "all 5/h";r=3;t=720'],
      ["ratelimit-policy", '"second 2/s";q=2;w=1, "all burst";q=3;w=60, "all 5/h";q=5;w=3600'],
      ["retry-after", "1"],
    ]);
  },
);

/** A limiter whose limits are elsewhere, as far as anybody can tell. */
function remote(limiter, outage = () => undefined) {
  return {
    limits: limiter.limits,
    async check(key, cost) {
      await new Promise((resolve) => setImmediate(resolve));
      const error = outage();
      if (error instanceof Error) throw error;
      return { ...limiter.check(key, cost), ...error };
    },
  };
}

each(
  "a limiter in a store answers later, and an outage is no refusal",
  (install) => {
    const store = { state: undefined };
    install({ limiter: remote(keyed("burst: 2/min; 9/h"), () => store.state), headers: "draft" });
    return store;
  },
  async (call, store, errors) => {
    const first = await call();
    assert.deepEqual(limits(first), [
      ["ratelimit", '"burst";r=1;t=30'],
      ["ratelimit-policy", '"burst";q=2;w=60'],
    ]);
    assert.deepEqual(await statuses(call, {}, {}), [200, 429]);

    store.state = new TokenweirError("store_unavailable", "the store does not answer");
    const failed = await call();
    assert.deepEqual([failed.status, limits(failed)], [503, []]);
    assert.deepEqual(errors, [store.state]);

    // Decided without the store: refused is no limit either, granted says nothing of limits.
    store.state = { degraded: true, allowed: false };
    assert.equal((await call()).status, 503);
    store.state = { degraded: true, allowed: true };
    const served = await call();
    assert.deepEqual([served.status, limits(served)], [200, []]);
  },
);

const { MemoryStore, StoredLimiter } = await import("../../../bindings-node/dist/node/store.js");

each(
  "limiters of a store are asked together: all grant or none pays",
  (install) => {
    const store = new MemoryStore();
    const users = new StoredLimiter(store, "5/h");
    const everybody = new StoredLimiter(store, "2/h");
    install({
      scopes: [
        { name: "user", limiter: users },
        { name: "all", limiter: everybody, key: () => "all" },
      ],
    });
    return { users, everybody };
  },
  async (call, { users, everybody }, errors) => {
    const first = await call();
    assert.deepEqual(limits(first)[1], ["ratelimit-policy", '"user 5/h";q=5;w=3600, "all 2/h";q=2;w=3600']);
    assert.deepEqual(await statuses(call, {}, {}), [200, 429]);
    const refused = await call();
    assert.deepEqual(JSON.parse(refused.body)["violated-policies"], ["all 2/h"]);
    assert.match(refused.fields["retry-after"][0], /^1[78]\d\d$/);
    assert.equal((await users.peek("address:127.0.0.1")).remaining, 3);
    assert.deepEqual(errors, []);
    for (const limiter of [users, everybody]) limiter.close();
  },
);

each(
  "a store that fails is no limit: by its policy requests are served, or end in 503",
  (install) => {
    const broken = {
      now: async () => 0,
      compareAndSet: async () => {
        throw new Error("the store is down");
      },
    };
    const [allowing, denying, raising] = ["allow", "deny", "raise"].map((onStoreError) => new StoredLimiter(broken, "1/h", { onStoreError }));
    install({ plans: { allowing, denying, raising }, plan: (request) => header(request, "x-plan") });
    return [allowing, denying, raising];
  },
  async (call, limiters, errors) => {
    const of = (plan) => call("/", { "x-plan": plan });
    for (let time = 0; time < 3; time += 1) {
      const served = await of("allowing");
      assert.deepEqual([served.status, limits(served)], [200, []]);
    }
    for (const plan of ["denying", "raising"]) {
      const failed = await of(plan);
      assert.deepEqual([failed.status, limits(failed)], [503, []]);
    }
    assert.deepEqual(errors.map(({ name }) => name), ["StoreError", "StoreError"]);
    for (const limiter of limiters) limiter.close();
  },
);

each(
  "a limiter that tells no more than its decision will do",
  (install) => {
    const limiter = keyed("burst: 1/min");
    install({ limiter: { check: (key, cost) => limiter.check(key, cost) } });
  },
  async (call) => {
    assert.deepEqual(limits(await call()), [
      ["ratelimit", '"burst";r=0;t=60'],
      ["ratelimit-policy", '"burst";q=1'],
    ]);
    assert.deepEqual((await call()).fields["retry-after"], ["60"]);
  },
);

each(
  "where there is no room to count somebody, that is no refusal",
  (install) => install({ limiter: keyed("1/h", { maxKeys: 1 }), key: user((request) => header(request, "x-user")) }),
  async (call, _, errors) => {
    assert.deepEqual(await statuses(call, { "x-user": "a" }, { "x-user": "b" }), [200, 503]);
    assert.equal(errors[0].code, "too_many_keys");
  },
);

each(
  "a cost that is none is an error that names it, and nothing is taken",
  (install) => {
    const limiter = keyed("5/min");
    install({ limiter, cost: (request) => Number(header(request, "x-cost")) });
    return limiter;
  },
  async (call, limiter, errors) => {
    for (const cost of ["0", "-1", "1.5", "many"]) assert.equal((await call("/", { "x-cost": cost })).status, 500);
    assert.equal(errors.length, 4);
    for (const error of errors) assert.match(error.message, /^cost: /);
    assert.equal(limiter.available("address:127.0.0.1"), 5);
  },
);
