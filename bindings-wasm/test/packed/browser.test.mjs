// The packed package in a real browser: without a bundler, and bundled by each of the usual ones. The
// page runs every recorded scenario.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { EXPECTED } from "../vectors/expected.mjs";
import { launch, serve } from "./browser.mjs";
import { bin, project, repo, run } from "./project.mjs";

const main = `
  import * as limiters from "tokenweir-wasm";
  import * as backoff from "tokenweir-wasm/backoff";
  import * as http from "tokenweir-wasm/http";
  import * as stored from "tokenweir-wasm/stored";
  import { runBuckets } from "./vectors/buckets.mjs";
  import { runCycles } from "./vectors/cycles.mjs";
  import { runHttp } from "./vectors/http.mjs";
  const api = { ...limiters, ...backoff, http, stored };
  const read = async (file) => (await fetch("/tests/vectors/" + file)).json();
  try {
    document.title = JSON.stringify({
      buckets: runBuckets(api, await read("bucket4j.json")),
      cycles: runCycles(api, await read("resilience4j.json")),
      http: runHttp(api, await read("http.json")),
    });
  } catch (error) {
    document.title = error.stack;
  }`;

const html = (head) => `<!doctype html><html lang="en"><head><title></title>
  <meta charset="utf-8"><link rel="icon" href="data:,">${head}</head><body></body></html>`;

let root, server, browser;

before(async () => {
  root = project("browser", ["tokenweir-wasm"], { type: "module" }, {
    "main.js": main,
    "index.html": html('<script type="module" src="/main.js"></script>'),
    "plain.html": html(`
      <script type="importmap">
        { "imports": {
          "tokenweir-wasm": "/node_modules/tokenweir-wasm/dist/index.js",
          "tokenweir-wasm/backoff": "/node_modules/tokenweir-wasm/dist/backoff.js",
          "tokenweir-wasm/http": "/node_modules/tokenweir-wasm/dist/http.js",
          "tokenweir-wasm/stored": "/node_modules/tokenweir-wasm/dist/stored.js"
        } }
      </script>
      <script type="module" src="/main.js"></script>`),
    "bundled.html": html('<script type="module" src="/bundled.js"></script>'),
    "packed.html": html('<script type="module" src="/packed.js"></script>'),
  });
  cpSync(join(repo, "bindings-wasm/test/vectors"), join(root, "vectors"), { recursive: true });
  server = await serve((path) => (path.startsWith("/tests/") ? join(repo, path) : join(root, path)));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page and checks what it found; nothing may appear on its console. */
async function open(path) {
  const page = await browser.newPage();
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.stack));
  await page.goto(`http://127.0.0.1:${server.address().port}/${path}`);
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 120_000 });
  const title = await page.title();
  assert.ok(title.startsWith("{"), title);
  const { buckets, cycles, http } = EXPECTED;
  assert.deepEqual(JSON.parse(title), { buckets, cycles, http });
  assert.deepEqual(messages, []);
  await page.close();
}

test("imported without a bundler", () => open("plain.html"));

test("bundled by Vite", async () => {
  run(root, process.execPath, join(bin("vite"), "bin/vite.js"), "build", "--base", "./", "--logLevel", "error");
  await open("dist/index.html");
});

test("bundled by esbuild", async () => {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    bundle: true,
    minify: true,
    format: "esm",
    outfile: "bundled.js",
    logLevel: "error",
  });
  await open("bundled.html");
});

test("bundled by webpack", async () => {
  const webpack = createRequire(import.meta.url)("webpack");
  const stats = await new Promise((resolve, reject) =>
    webpack(
      {
        context: root,
        mode: "production",
        entry: "./main.js",
        experiments: { outputModule: true },
        output: { path: root, filename: "packed.js", module: true },
        performance: { hints: false },
      },
      (error, stats) => (error ? reject(error) : resolve(stats)),
    ),
  );
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
  await open("packed.html");
});
