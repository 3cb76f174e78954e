// The built playground in a browser: what the tests of its tabs share.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, serve } from "../packed/browser.mjs";

export const repo = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const built = join(repo, "bindings-wasm/playground/dist");

/** Serves the playground and starts the browser around the tests of a file; returns what opens a page. */
export function playground() {
  let server, browser;
  before(async () => {
    assert.ok(existsSync(join(built, "index.html")), "the playground is not built: make playground");
    server = await serve((path) => join(built, path === "/" ? "index.html" : path));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Runs a test on a page, with nothing moving unless it is told to; the page may neither complain nor ask anybody
   * else. */
  return async function open({ hash = "", width = 1280, height = 1000, dark = false, scale = 1 }, run) {
    const origin = `http://127.0.0.1:${server.address().port}`;
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
    });
    try {
      const page = await context.newPage();
      const messages = watch(page, origin);
      await page.goto(`${origin}/${hash}`);
      // Charts are drawn anew when their font is there.
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await run(page);
      assert.deepEqual(messages, []);
    } finally {
      await context.close();
    }
  };
}

/** Notes all that a page puts on its console, its errors, and the requests that leave its origin. */
export function watch(page, origin) {
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.stack));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) messages.push(`request to ${request.url()}`);
  });
  return messages;
}

/** The text of an element. */
export const text = (page, selector) => page.locator(selector).innerText();

/** What one limiter shows: what it granted and refused, the longest wait, its last answer, its levels. */
export async function lane(page, letter) {
  const place = `#lane-${letter}`;
  return {
    granted: Number(await text(page, `${place} [data-part="granted"]`)),
    refused: Number(await text(page, `${place} [data-part="refused"]`)),
    longest: await text(page, `${place} [data-part="longest"]`),
    answer: await text(page, `${place} [data-part="answer"]`),
    levels: await page.locator(`${place} .level .number`).allInnerTexts(),
  };
}

/** Both, with the time and the most that each let through. */
export async function run(page) {
  return {
    now: await text(page, "#now"),
    most: [await text(page, "#peak-a"), await text(page, "#peak-b")],
    a: await lane(page, "a"),
    b: await lane(page, "b"),
  };
}

/** Chooses a preset and goes to an instant of it, in seconds. */
export async function preset(page, id, seconds) {
  await page.click(`[data-preset="${id}"]`);
  // Choosing one lets it run.
  await page.click("#play");
  const link = new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
  link.set("at", String(seconds * 1_000));
  link.delete("hand");
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#simulate?${link}`);
  await page.waitForFunction(
    (id) => document.querySelector(`[data-preset="${id}"]`).ariaPressed === "true",
    id,
  );
}
