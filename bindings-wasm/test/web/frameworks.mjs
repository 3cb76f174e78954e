// The frameworks, each as a service of a few routes behind some middleware, and a client that sees every field
// of a reply.
import { createServer, request as httpRequest } from "node:http";
import { once } from "node:events";
import { serve as serveHono } from "@hono/node-server";
import express5 from "express";
import express4 from "express-4";
import Fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { web } from "../package.mjs";

/** What the routes answer: `/own` says a field itself, `/fail` throws. */
const OWN = ["RateLimit", '"own";r=1'];
const failure = () => new Error("the handler failed");

async function listen(handler) {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port, close: () => server.close() };
}

const express = (create) => async (install) => {
  const errors = [];
  const app = create();
  app.set("env", "test");
  install((options) => app.use(rateLimits.express(options)));
  app.get("/own", (_, response) => response.set(...OWN).send("served"));
  app.get("/fail", () => {
    throw failure();
  });
  app.use((request, response) => response.send("served"));
  app.use((error, request, response, next) => {
    errors.push(error);
    next(error);
  });
  return { errors, ...(await listen(app)) };
};

async function fastify(install) {
  const errors = [];
  const app = Fastify();
  app.addHook("onError", async (request, reply, error) => errors.push(error));
  const installed = [];
  install((options) => installed.push(app.register(rateLimits.fastify, options)));
  await Promise.all(installed);
  app.get("/own", async (_, reply) => reply.header(...OWN).send("served"));
  app.get("/fail", async () => {
    throw failure();
  });
  app.all("/*", async () => "served");
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { errors, port: app.server.address().port, close: () => app.close() };
}

async function hono(install) {
  const errors = [];
  const app = new Hono();
  install((options) => app.use(rateLimits.hono(options)));
  app.onError((error, c) => {
    errors.push(error);
    return error.getResponse?.() ?? c.text("Internal Server Error", 500);
  });
  app.get("/own", () => new Response("served", { headers: [OWN] }));
  app.get("/fail", () => {
    throw failure();
  });
  app.all("*", (c) => c.text("served"));
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return { errors, port: server.address().port, close: () => server.close() };
}

async function koa(install) {
  const errors = [];
  const app = new Koa();
  app.on("error", (error) => errors.push(error));
  install((options) => app.use(rateLimits.koa(options)));
  app.use((context) => {
    if (context.path === "/own") context.set(...OWN);
    if (context.path === "/fail") throw failure();
    context.body = "served";
  });
  return { errors, ...(await listen(app.callback())) };
}

const rateLimits = {};
for (const name of ["express", "fastify", "hono", "koa"]) rateLimits[name] = (await web(name)).rateLimit;

/** By name, what starts a service, given what installs middleware by its options. */
export const frameworks = { "Express 5": express(express5), "Express 4": express(express4), Fastify: fastify, Hono: hono, Koa: koa };

/** What a handler or a key function reads a field of a request by, whatever the framework gives it. */
export const header = (request, name) => (request.headers ? request.headers[name] : request.req.header(name));

/** Runs a test against a service of each framework. */
export function forEach(test, name, install, run) {
  for (const [framework, start] of Object.entries(frameworks)) {
    test(`${framework}: ${name}`, async () => {
      const service = await start(install);
      try {
        await run((path, headers, method) => call(service.port, path, headers, method), service.errors);
      } finally {
        await service.close();
      }
    });
  }
}

/** Makes a call; a field that is there twice has two values. */
function call(port, path = "/", headers = {}, method = "GET") {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: "127.0.0.1", path, method, headers, agent: false }, async (reply) => {
      let body = "";
      for await (const chunk of reply) body += chunk;
      const fields = {};
      for (let at = 0; at < reply.rawHeaders.length; at += 2) {
        (fields[reply.rawHeaders[at].toLowerCase()] ??= []).push(reply.rawHeaders[at + 1]);
      }
      resolve({ status: reply.statusCode, fields, body });
    });
    request.on("error", reject);
    request.end();
  });
}

/** The fields of a reply that say something of limits, as names and values. */
export function limits({ fields }) {
  return Object.entries(fields)
    .filter(([name]) => /^(x-)?ratelimit|^retry-after$/.test(name))
    .flatMap(([name, values]) => values.map((value) => [name, value]))
    .sort();
}
