// Every block of code in the READMEs, run as it stands there with the packed packages and the real frameworks.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, serve } from "./browser.mjs";
import { startRedis } from "../../../tests/stores/servers.mjs";
import { bin, project, repo } from "./project.mjs";

/** The blocks of a README: the heading they are under, the language, the code. */
function blocks(file) {
  const found = [];
  let heading = "";
  for (const [, title, language, code] of readFileSync(file, "utf8").matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else found.push({ heading, language, code });
  }
  return found;
}

// What stands between an example and this machine: any port is free, the services are here.
const AROUND = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once("listening", () => process.send({ port: this.address().port }));
    return listen.call(this, { port: 0, host: "127.0.0.1" }, args.find((arg) => typeof arg === "function"));
  };
  const real = fetch;
  globalThis.fetch = (input, init) => real(new URL(new URL(input, "http://here").pathname, process.env.SERVICE), init);
  process.on("disconnect", () => process.exit());
  process.channel.unref();
`;

/** An example with what it says of values made into checks. */
function checked(code) {
  const lines = code.split("\n").map((line) => {
    const [, expression, value] = /^(\S.*); \/\/ (true|false|-?\d[\d_]*|".*")$/.exec(line) ?? [];
    return value === undefined ? line : `(await import("node:assert")).deepEqual(${expression}, ${value});`;
  });
  return lines.join("\n");
}

let files, browser, redis;

before(async () => {
  browser = await launch();
  redis = await startRedis();
});

after(async () => {
  await browser?.close();
  files?.close();
  await redis?.kill();
});

/** Runs a file of a project and hands what it sends to `use`; it has to end well, or to be told to. */
async function running(root, file, use) {
  const child = fork(join(root, file), {
    cwd: root,
    execArgv: ["--import", join(root, "around.mjs")],
    env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: "", SERVICE: `http://127.0.0.1:${files.address().port}`, REDIS_URL: redis.url },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const ended = new Promise((resolve) => child.on("exit", resolve));
  if (use === undefined) {
    const code = await Promise.race([ended, new Promise((resolve) => child.on("message", resolve))]);
    assert.equal(code, 0, output);
    return;
  }
  try {
    const port = await new Promise((resolve, reject) => {
      child.on("message", (message) => resolve(message.port));
      void ended.then(() => reject(new Error(output)));
    });
    await use(`http://127.0.0.1:${port}`, () => output);
  } finally {
    child.disconnect();
    await ended;
  }
}

/** Calls a service until it refuses; what it served before, and the refusal. */
async function calls(url, headers = {}) {
  const served = [];
  for (;;) {
    const reply = await fetch(url, { headers });
    if (reply.status === 429) return { served, refused: reply };
    assert.equal(reply.status, 200);
    served.push(reply.headers.get("ratelimit"));
    assert.ok(served.length < 100, "somebody is refused in the end");
  }
}

/** A service that serves a client so many times at a path, tells what is left after the first, and then refuses
 * for so many seconds, less what has passed since. */
const serving = (path, times, left, seconds) => (root, file) =>
  running(root, file, async (url) => {
    const { served, refused } = await calls(url + path);
    assert.equal(served.length, times);
    assert.ok(served[0].endsWith(left), served[0]);
    const wait = Number(refused.headers.get("retry-after"));
    assert.ok(wait >= 1 && wait <= seconds, `${wait} s`);
    assert.match(refused.headers.get("content-type"), /^application\/problem\+json/);
    assert.deepEqual((await refused.json()).title, "Quota Exceeded");
  });

const alone = (root, file) => running(root, file);

async function page(root, file) {
  const opened = await browser.newPage();
  const messages = [];
  opened.on("console", (message) => messages.push(message.text()));
  opened.on("pageerror", (error) => messages.push(error.stack));
  await opened.goto(`http://127.0.0.1:${files.address().port}/${file}`);
  const said = [];
  for (let click = 0; click < 4; click += 1) {
    await opened.click("button");
    said.push(await opened.textContent("output"));
  }
  assert.deepEqual(said, ["sent", "sent", "sent", "slow down"]);
  // A browser asks for an icon by itself.
  assert.deepEqual(messages.filter((message) => !message.includes("404")), []);
  await opened.close();
}

async function plans(root, file) {
  await running(root, file, async (url, output) => {
    const free = { "x-forwarded-for": "192.0.2.1" };
    assert.deepEqual((await calls(url, free)).served.length, 2);
    assert.deepEqual((await calls(url, { "x-forwarded-for": "192.0.2.2" })).served.length, 2);
    const pro = await fetch(url, { headers: { ...free, "x-api-key": "k-77" } });
    assert.equal(pro.headers.get("ratelimit"), '"plan 5000/h";r=4999;t=1, "plan 50/s";r=49;t=1, "all 1000/s";r=999;t=1');
    assert.equal((await fetch(url, { method: "OPTIONS", headers: free })).headers.get("ratelimit"), null);
    assert.match(output(), /^address:192\.0\.2\.1: 1[78]\d+(\.\d+)? ms$/m);
  });
}

async function atTheEdge(root, file) {
  const { default: app } = await import(pathToFileURL(join(root, file)));
  const status = async (client) => {
    const request = new Request("http://edge/", { headers: { "cf-connecting-ip": client } });
    return (await app.fetch(request)).status;
  };
  for (let time = 0; time < 20; time += 1) assert.equal(await status("192.0.2.1"), 200);
  assert.deepEqual([await status("192.0.2.1"), await status("192.0.2.2")], [429, 200]);
}

/** How each block is run, by the heading it is under. */
const RUN = {
  tokenweir: {
    Node: [alone],
    Express: [serving("/search", 4, '"20/min";r=15;t=3', 15)],
    Fastify: [serving("/search", 4, '"20/min";r=15;t=3', 15)],
    Hono: [serving("/", 20, '"20/min";r=19;t=3', 3)],
    Koa: [serving("/", 20, '"20/min";r=19;t=3', 3)],
    "What the middleware does": [plans],
    "Calling services": [alone],
    "Worker threads": [alone],
    "Limits that processes share": [alone],
    Tests: [alone],
    "In a page": [page],
    // Of the README of the repository.
    "In JavaScript": [alone],
  },
  "tokenweir-wasm": {
    Everywhere: [alone],
    "A page, without a bundler": [page],
    "Calling services": [alone],
    "Hono, at the edge": [atTheEdge],
    "Express, Fastify and Koa": Array(3).fill(serving("/search", 4, '"20/min";r=15;t=3', 15)),
    "A few kilobytes": [alone],
  },
};

for (const [name, run] of Object.entries(RUN)) {
  const found = blocks(join(repo, { tokenweir: "bindings-node", "tokenweir-wasm": "bindings-wasm" }[name], "README.md"));
  if (name === "tokenweir") found.push(...blocks(join(repo, "README.md")).filter(({ language }) => language === "js"));
  let root;

  test(`${name}: the README is of a package of that name, and each of its examples is run`, async () => {
    const [install, ...examples] = found;
    assert.deepEqual(install, { heading: name, language: "sh", code: `npm install ${name}\n` });
    const headings = Object.entries(run).flatMap(([heading, ways]) => ways.map(() => heading));
    assert.deepEqual(examples.map(({ heading }) => heading), headings);

    root = project(`readme-${name}`, ["tokenweir", "tokenweir-wasm"], { type: "module" }, { "around.mjs": AROUND, items: "[]" });
    for (const framework of ["@hono", "express", "fastify", "hono", "koa"]) {
      symlinkSync(bin(framework), join(root, "node_modules", framework));
    }
    symlinkSync(join(repo, "bindings-node/node_modules/ioredis"), join(root, "node_modules/ioredis"));
    files?.close();
    const slim = "node_modules/tokenweir-wasm/dist/slim.wasm";
    files = await serve((path) => join(root, path === "/slim.wasm" ? slim : path));
  });

  const seen = {};
  for (const [index, { heading, language, code }] of found.slice(1).entries()) {
    const way = run[heading]?.[(seen[heading] ??= []).push(index) - 1];
    test(`${name}: ${heading}${seen[heading].length > 1 ? `, ${seen[heading].length}` : ""}`, async () => {
      const file = `example-${index}.${language === "html" ? "html" : "mjs"}`;
      writeFileSync(join(root, file), language === "html" ? code : checked(code));
      await way(root, file);
    });
  }
}
