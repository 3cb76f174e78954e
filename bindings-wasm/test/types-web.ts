// The types of what limits requests and calls, against the frameworks' own; compiled, not run.
import { expectTypeOf } from "expect-type";
import express, { type Request, type RequestHandler } from "express";
import Fastify, { type FastifyRequest } from "fastify";
import { type Context, Hono } from "hono";
import Koa from "koa";
import { type Decision, KeyedLimiter, Limiter } from "tokenweir-wasm";
import { type Refusal, apiKey, clientAddress, rateLimit as onExpress, user } from "tokenweir-wasm/express";
import { limitRoute, rateLimit as onFastify } from "tokenweir-wasm/fastify";
import { limitedFetch } from "tokenweir-wasm/fetch";
import { type HonoRateLimitOptions, rateLimit as onHono } from "tokenweir-wasm/hono";
import { rateLimit as onKoa } from "tokenweir-wasm/koa";

const limiter = new KeyedLimiter("10/s");
const stored = { check: async (key: string, cost: number | bigint = 1): Promise<Decision> => limiter.check(key, cost) };

const middleware = onExpress({
  scopes: [
    { name: "user", plans: { free: limiter, pro: stored }, plan: async (_, key) => (key === "a" ? "pro" : "free") },
    { name: "all", limiter: new Limiter("1000/s"), cost: 2n },
  ],
  key: [apiKey(), clientAddress({ trustedProxies: 1 }), user((request: Request) => request.get("x-user"))],
  cost: (request) => {
    expectTypeOf(request).toEqualTypeOf<Request>();
    return request.path === "/search" ? 5 : 1;
  },
  headers: "draft-7",
  skip: async (request) => request.method === "OPTIONS",
  onRefused: (request, refusal) => {
    expectTypeOf(request).toEqualTypeOf<Request>();
    expectTypeOf(refusal).toEqualTypeOf<Refusal>();
  },
  detail: ({ decision }) => `${decision.retryAfterMs} ms`,
});
expectTypeOf(middleware).toEqualTypeOf<RequestHandler>();
express().use(middleware).get("/", middleware, (_, response) => void response.end());

const app = Fastify();
app.register(onFastify, { limiter, stage: "preHandler", key: user((request: FastifyRequest) => request.ip) });
app.get("/a", { config: { tokenweir: { cost: async () => 5 } } }, async () => "");
app.get("/b", { config: { tokenweir: false }, onRequest: limitRoute({ limiter, cost: 2 }) }, async () => "");
// @ts-expect-error: a cost is a number.
app.get("/c", { config: { tokenweir: { cost: "5" } } }, async () => "");
// @ts-expect-error: there is no such stage.
app.register(onFastify, { limiter, stage: "onSend" });

type Signed = { Variables: { user: string } };
const signed: HonoRateLimitOptions<Signed> = { limiter, key: user((context: Context<Signed>) => context.get("user")) };
new Hono<Signed>().use(onHono(signed)).use("/search", onHono<Signed>({ limiter, cost: (context) => context.get("user").length }));
new Hono().use(onHono({ limiter: stored, connInfo: () => ({ remote: { address: "192.0.2.1" } }) }));

new Koa().use(onKoa({ limiter, key: user((context) => context.state["user"] as string), dryRun: true }));

expectTypeOf(limitedFetch()).toEqualTypeOf<typeof fetch>();
limitedFetch({ limiter, key: ({ url }) => url.hostname, onLimit: "respond", retry: { jitter: "equal", random: () => 0n } });
limitedFetch({ limiter: new Limiter("1/s"), cost: ({ method }) => (method === "GET" ? 1 : 5), retry: false });

// @ts-expect-error: text is no limiter.
onExpress({ limiter: "10/s" });
// @ts-expect-error: there is no such style.
onExpress({ limiter, headers: "draft-8" });
// @ts-expect-error: a cost is a number.
onKoa({ limiter, cost: "5" });
// @ts-expect-error: there is no such way.
limitedFetch({ onLimit: "drop" });
