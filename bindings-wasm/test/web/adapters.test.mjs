// What only one framework has.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { api, other, web } from "../package.mjs";

const { Cycle, KeyedLimiter, Limiter, ManualClock } = api;
const { rateLimit: onExpress } = await web("express");
const { limitRoute, rateLimit: onFastify, user } = await web("fastify");
const { rateLimit: onHono } = await web("hono");

const keyed = (limits) => new KeyedLimiter(limits, { clock: new ManualClock() });

/** A server of a handler while something is done with its address. */
async function serving(handler, use) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
  }
}

test("Express: the same middleware before an application and a route counts once, another one for itself", async () => {
  const [limiter, searches] = [keyed("10/min"), keyed("20/min")];
  const limit = onExpress({ limiter });
  const app = express();
  app.use(limit);
  app.get("/search", limit, onExpress({ limiter: searches, cost: 5 }), (_, response) => response.send("found"));
  await serving(app, async (url) => {
    assert.equal((await fetch(`${url}/search`)).status, 200);
    const missing = await fetch(url);
    assert.deepEqual([missing.status, missing.headers.get("ratelimit")], [404, '"10/min";r=8;t=6']);
  });
  assert.equal(limiter.available("address:127.0.0.1"), 8);
  assert.equal(searches.available("address:127.0.0.1"), 15);
});

test("Express: a reply that was sent while the store was asked is left alone", async () => {
  const decided = Promise.withResolvers?.() ?? deferred();
  const limiter = keyed("1/min");
  const app = express();
  app.use((request, response, next) => {
    response.on("finish", decided.resolve);
    next();
    response.status(504).send("too late");
  });
  app.use(
    onExpress({
      limiter: {
        check: async (key, cost) => {
          await decided.promise;
          return limiter.check(key, cost);
        },
      },
    }),
  );
  app.use(() => assert.fail("nobody is served twice"));
  await serving(app, async (url) => {
    const reply = await fetch(url);
    assert.deepEqual([reply.status, await reply.text()], [504, "too late"]);
  });
});

function deferred() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("Fastify: a route says what it costs, or that it is not limited", async () => {
  const limiter = keyed("10/min");
  const app = Fastify();
  await app.register(onFastify, { limiter, cost: 2 });
  const served = async () => "served";
  app.get("/", served);
  app.get("/search", { config: { tokenweir: { cost: 5 } } }, served);
  app.get("/report", { config: { tokenweir: { cost: async (request) => Number(request.query.pages) } } }, served);
  app.get("/health", { config: { tokenweir: false } }, served);
  await app.register(async (inner) => inner.get("/inner", served));
  const left = [];
  for (const path of ["/", "/search", "/health", "/report?pages=1", "/inner", "/"]) {
    const { statusCode, headers } = await app.inject(path);
    left.push([statusCode, headers.ratelimit]);
  }
  assert.deepEqual(left, [
    [200, '"10/min";r=8;t=6'],
    [200, '"10/min";r=3;t=6'],
    [200, undefined],
    [200, '"10/min";r=2;t=6'],
    [200, '"10/min";r=0;t=6'],
    [429, '"10/min";r=0;t=6'],
  ]);
  await app.close();
});

test("Fastify: later in the life of a request more is known of it", async () => {
  const limiter = keyed("1/min");
  const app = Fastify();
  app.addHook("preValidation", async (request) => {
    request.user = { name: request.headers["x-name"] };
  });
  await app.register(onFastify, { limiter, stage: "preHandler", key: user((request) => request.user.name) });
  app.get("/", async () => "served");
  const status = async (name) => (await app.inject({ url: "/", headers: { "x-name": name } })).statusCode;
  assert.deepEqual([await status("a"), await status("b"), await status("a")], [200, 200, 429]);
  await app.close();
});

test("Fastify: one route is limited by a hook of it", async () => {
  const app = Fastify();
  app.get("/", async () => "served");
  app.get("/search", { preHandler: limitRoute({ limiter: keyed("1/min") }) }, async () => "found");
  const status = async (url) => (await app.inject(url)).statusCode;
  assert.deepEqual([await status("/search"), await status("/search"), await status("/")], [200, 429, 200]);
  await app.close();
});

test("Hono: who is connected is for the adapter of the runtime to tell", async () => {
  const app = new Hono();
  const connInfo = (context) => ({ remote: { address: context.req.header("x-test-peer") } });
  app.use(onHono({ limiter: keyed("1/min"), connInfo }));
  app.get("/", (context) => context.text("served"));
  const status = async (peer) => (await app.request("/", { headers: { "x-test-peer": peer } })).status;
  assert.deepEqual([await status("192.0.2.1:80"), await status("192.0.2.2"), await status("192.0.2.1")], [200, 200, 429]);

  const errors = [];
  const without = new Hono();
  without.use(onHono({ limiter: keyed("1/min") }));
  without.onError((error, context) => {
    errors.push(error);
    return context.text("", 500);
  });
  assert.equal((await without.request("/")).status, 500);
  assert.match(errors[0].message, /^connInfo: /);
});

test("options that make no sense are an error that names them, before any request", async () => {
  const foreign = await other();
  const clock = new ManualClock();
  const limiter = new KeyedLimiter("1/s", { clock });
  const plans = { free: limiter };
  const elsewhere = { check: async () => ({}) };
  for (const [options, name, message] of [
    [{}, "TypeError", /^limiter: expected either a limiter or plans$/],
    [{ limiter: {} }, "TypeError", /^limiter: expected a limiter$/],
    [{ limiter, plans, plan: () => "free" }, "TypeError", /^limiter: expected either/],
    [{ plans }, "TypeError", /^plan: /],
    [{ limiter, plan: () => "free" }, "TypeError", /^plan: /],
    [{ scopes: [] }, "TypeError", /^scopes: /],
    [{ scopes: [{ limiter }], limiter }, "TypeError", /^scopes: /],
    [{ scopes: [{ limiter }, {}] }, "TypeError", /^scopes\[1\]: /],
    [{ scopes: [{ limiter }, { limiter: elsewhere }] }, "TypeError", /decides by itself/],
    [{ scopes: [{ limiter }, { limiter: new foreign.Limiter("1/s", { clock }) }] }, "TypeError", /different packages/],
    [{ scopes: [{ limiter }, { limiter: new Limiter("1/s") }] }, "TypeError", /different clocks/],
    [{ limiter, headers: "draft-8" }, "RangeError", /^style: /],
    [{ limiter, name: "größe" }, "RangeError", /^policy: /],
    [{ limiter: new Limiter(new Cycle(1, 1, { name: "größe" })) }, "RangeError", /^policy: /],
  ]) {
    assert.throws(() => onExpress(options), { name, message }, JSON.stringify(Object.keys(options)));
  }
});
