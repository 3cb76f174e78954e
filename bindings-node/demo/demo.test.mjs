// The demo as a user has it: started, opened in a browser, called until it refuses, stopped.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../../bindings-wasm/test/packed/browser.mjs";
import { watch } from "../../bindings-wasm/test/playground/page.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const repo = join(here, "../..");

/** Starts a command and waits for the address that it prints; what it said and how it ended come later. */
async function start(command, args, port) {
  const env = { ...process.env, PORT: String(port) };
  // What make that runs these tests was told is not for make that is tested.
  for (const name of ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"]) delete env[name];
  const child = spawn(command, args, { cwd: repo, env, stdio: ["pipe", "pipe", "pipe"] });
  const demo = { child, said: "", ended: once(child, "close").then(([code, signal]) => code ?? signal) };
  const address = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        demo.said += data;
        const found = /(http:\/\/localhost:\d+)\/\s[^]*Ctrl-C stops it/.exec(demo.said);
        if (found) resolve(found[1]);
      });
    }
  });
  demo.address = await Promise.race([address, demo.ended.then(() => undefined)]);
  return demo;
}

const startDemo = (port) => start(join(here, "run.sh"), [], port);

let demo, browser;
before(async () => {
  demo = await startDemo(0);
  assert.ok(demo.address, demo.said);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  demo.child.kill("SIGINT");
  assert.equal(await demo.ended, 0);
});

test("the page calls the API until it is refused, and shows what the refusal says", async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const messages = watch(page, demo.address);
  await page.goto(`${demo.address}/#api`);
  const field = (name) => page.locator(`#api-fields [data-field="${name}"]`).innerText();
  const shown = (id) => page.locator(id).innerText();
  await page.click("#api-search");
  await page.waitForSelector('#api-rows tr[data-status="200"]');
  assert.equal(await shown("#api-status"), "200 OK");
  assert.equal(await field("RateLimit-Policy"), '"burst";q=10;w=1, "hourly";q=100;w=3600');
  assert.match(await field("RateLimit"), /^"burst";r=5;t=\d+, "hourly";r=95;t=\d+$/);
  assert.deepEqual(await page.locator("#api-levels .number").allInnerTexts(), ["5 / 10", "95 / 100"]);
  assert.deepEqual(JSON.parse(await shown("#api-body")), { found: [] });

  // Not by time, which may pass as it likes: a hundred an hour are soon used up.
  for (let calls = 1; (await page.locator('#api-rows tr[data-status="429"]').count()) === 0; calls += 1) {
    assert.ok(calls < 60, "there is a limit");
    await page.click("#api-search");
    await page.waitForFunction((rows) => document.querySelectorAll("#api-rows tr").length > rows, calls);
  }
  assert.equal(await shown("#api-status"), "429 Too Many Requests");
  assert.equal(await field("Content-Type"), "application/problem+json");
  assert.ok(Number(await field("Retry-After")) >= 1);
  assert.match(await field("RateLimit"), /^"burst";r=\d+;t=\d+, "hourly";r=\d+;t=\d+$/);
  const body = JSON.parse(await shown("#api-body"));
  assert.equal(body.type, "https://iana.org/assignments/http-problem-types#quota-exceeded");
  assert.ok(body["violated-policies"].length >= 1);
  assert.match(await shown("#api-wait"), /^again in |^now$/);

  // The other plan has limits of its own.
  await page.selectOption("#api-key", "pro-omar");
  await page.click("#api-hello");
  await page.waitForFunction(() => document.querySelector("#api-status").textContent === "200 OK");
  assert.equal(await field("RateLimit-Policy"), '"burst";q=50;w=1, "hourly";q=5000;w=3600');
  assert.deepEqual(JSON.parse(await shown("#api-body")), { hello: "pro-omar", plan: "pro" });

  // Who has no key is asked for one, which costs nobody anything.
  await page.selectOption("#api-key", "");
  await page.click("#api-hello");
  await page.waitForFunction(() => document.querySelector("#api-status").textContent === "401 Unauthorized");
  assert.equal(await page.locator('#api-fields [data-field="RateLimit"]').count(), 0);

  // The browser itself notes each reply that is an error.
  const refusals = messages.filter((message) =>
    /^Failed to load resource: .* status of (429|401) /.test(message),
  );
  assert.ok(refusals.length >= 2);
  assert.deepEqual(
    messages.filter((message) => !refusals.includes(message)),
    [],
  );
  if (process.env.PLAYGROUND_PICTURES !== undefined) {
    await page.selectOption("#api-key", "free-anna");
    await page.click("#api-burst");
    await page.waitForFunction(
      () => document.querySelector("#api-status").textContent !== "401 Unauthorized",
    );
    await page.screenshot({ path: join(process.env.PLAYGROUND_PICTURES, "api.png"), fullPage: true });
  }
  await page.close();
});

test("the API says the same to others", async () => {
  const call = (path, key) =>
    fetch(`${demo.address}/api/${path}`, { headers: key ? { "X-API-Key": key } : {} });
  const search = await call("search?q=rh", "pro-omar");
  assert.deepEqual(await search.json(), { found: ["Rhine", "Rhône"] });
  assert.equal(search.headers.get("x-powered-by"), null);
  assert.equal((await call("hello", "pro-eve")).status, 401);
  const lost = await call("goodbye", "pro-omar");
  assert.deepEqual(
    [lost.status, await lost.json()],
    [404, { status: 404, detail: "there is /hello and /search?q=" }],
  );
});

test("a port that is taken is said to be", async () => {
  const port = new URL(demo.address).port;
  const other = await startDemo(port);
  assert.equal(await other.ended, 1);
  assert.match(
    other.said,
    new RegExp(`^demo: port ${port} is taken; choose another by PORT=\\d+ make demo\\n$`),
  );
});

test("a port that is none is said to be none", async () => {
  const other = await startDemo("seven");
  assert.equal(await other.ended, 1);
  assert.match(other.said, /^demo: PORT is a whole number from 1 to 65535, .* not "seven"\n$/);
});

test("at a terminal, Ctrl-C stops make demo, which has succeeded", async () => {
  // `script` gives it a terminal; what make builds first has been built.
  const made = await start(
    "script",
    ["-qec", "make --no-print-directory -o playground demo", "/dev/null"],
    0,
  );
  assert.ok(made.address, made.said);
  made.child.stdin.write("\x03");
  assert.equal(await made.ended, 0, made.said);
  assert.match(made.said, /Stopped\./);
});
