// The page for everybody: by keyboard, by screen reader, on a phone, in the dark. With PLAYGROUND_PICTURES=folder the
// pictures are written there.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { lane, playground, preset, text } from "./page.mjs";

const open = playground();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PRESETS = ["boundary", "refill", "two", "day", "never", "retry"];
const TABS = ["simulate", "log", "api"];

/** Shows a tab with something in it. */
async function show(page, tab) {
  await page.click(`#tab-${tab}`);
  if (tab === "simulate") await preset(page, "boundary", 28);
  if (tab === "log") {
    await page.click("#log-sample");
    await page.waitForSelector("#log-results:not([hidden])");
  }
}

test("by keyboard alone", () =>
  open({}, async (page) => {
    const focused = () =>
      page.evaluate(() => document.activeElement.id || document.activeElement.dataset.preset);
    const press = (key) => page.keyboard.press(key);
    /** Goes on by tab to an element, which must be marked when it has the focus. */
    const goTo = async (wanted) => {
      for (let presses = 0; (await focused()) !== wanted; presses += 1) {
        assert.ok(presses < 40, `${wanted} is reached by tab, not only ${await focused()}`);
        await press("Tab");
      }
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.equal(outline, "solid", `${wanted} is marked`);
    };
    await press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await goTo("tab-simulate");
    await goTo("never");
    await press("Enter");
    assert.equal(await page.inputValue("#limits-A"), "10/s burst 20");
    await goTo("play");
    await press("Space");
    assert.equal(await page.getAttribute("#play", "data-playing"), "false");
    await goTo("reset");
    await press("Enter");
    const before = (await lane(page, "b")).refused + (await lane(page, "b")).granted;
    await goTo("send");
    await press("Space");
    await press("Enter");
    const { granted, refused } = await lane(page, "b");
    assert.equal(granted + refused, before + 2, "one request for each press");
    await goTo("limits-A");
    await press("ControlOrMeta+a");
    await page.keyboard.type("7/s");
    assert.deepEqual((await lane(page, "a")).levels, ["7 / 7"]);
    // Back to the tabs, and along them.
    await page.focus("#tab-simulate");
    await press("ArrowRight");
    assert.equal(await focused(), "tab-log");
    assert.ok(await page.isVisible("#panel-log"));
    await goTo("log-file");
    await goTo("log-sample");
    await press("Enter");
    await page.waitForSelector("#log-results:not([hidden])");
    await page.focus("#tab-log");
    await press("End");
    assert.ok(await page.isVisible("#panel-api"));
    await press("Home");
    assert.ok(await page.isVisible("#panel-simulate"));
  }));

for (const dark of [false, true]) {
  test(`nothing that axe objects to, in ${dark ? "dark" : "light"} colours`, () =>
    open({ dark }, async (page) => {
      await page.evaluate(axe);
      for (const tab of TABS) {
        await show(page, tab);
        if (tab === "simulate") await page.fill("#limits-A", "10/");
        const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
        assert.ok(
          passes.some(({ id, nodes }) => id === "color-contrast" && nodes.length > 5),
          "axe has looked",
        );
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
        assert.deepEqual(found, [], tab);
      }
    }));
}

test("nothing is wider than a small phone", () =>
  open({ width: 360, height: 740 }, async (page) => {
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    for (const id of PRESETS) {
      await preset(page, id, 8);
      assert.equal(await width(), 360, id);
    }
    await page.fill(
      "#limits-A",
      "10/s; 20/min; 30/h; 40/day; 50/fortnights and whatever else there is in a long text",
    );
    assert.equal(await width(), 360, "an error");
    for (const tab of TABS) {
      await show(page, tab);
      assert.equal(await width(), 360, tab);
    }
    // What is used all the time is within reach.
    await page.click("#tab-simulate");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    for (const id of ["#play", "#step", "#reset", "#send"]) {
      const box = await page.locator(id).boundingBox();
      assert.ok(box.y > 0 && box.y + box.height <= 740, id);
      assert.ok(box.height >= 44, `${id} is large enough for a thumb`);
    }
  }));

test("dark or light as the system says, until the switch is used", () =>
  open({ dark: true }, async (page) => {
    /** The colour of the paper, once the theme is this one. */
    const paper = async (theme) => {
      await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, theme);
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    const dark = await paper("dark");
    await page.emulateMedia({ colorScheme: "light" });
    assert.notEqual(await paper("light"), dark);
    await page.click("#theme");
    assert.equal(await paper("dark"), dark);
    assert.equal(await page.getAttribute("#theme", "aria-pressed"), "true");
    await page.reload();
    assert.equal(await paper("dark"), dark, "the choice is kept");
  }));

test("it looks as it should: the charts are drawn, and pictures are written where one wants them", async () => {
  const folder = process.env.PLAYGROUND_PICTURES;
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  for (const [name, view] of Object.entries({
    light: {},
    dark: { dark: true },
    phone: { width: 360, height: 740, scale: 2 },
  })) {
    await open(view, async (page) => {
      for (const tab of TABS) {
        await show(page, tab);
        if (tab === "simulate")
          assert.ok(await isDrawn(page, '#lane-a [data-part="chart-answers"] canvas'), name);
        if (tab === "log") assert.ok(await isDrawn(page, "#log-chart canvas"), name);
        if (folder !== undefined)
          await page.screenshot({ path: join(folder, `${name}-${tab}.png`), fullPage: true });
      }
      assert.equal(await text(page, "#api-missing h2"), "No API behind this page");
    });
  }
});

/** Whether a chart has the colour of what was granted. */
const isDrawn = (page, selector) =>
  page.evaluate((selector) => {
    const canvas = document.querySelector(selector);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const wanted = getComputedStyle(document.documentElement).getPropertyValue("--grant").trim();
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(wanted.slice(at, at + 2), 16));
    let found = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at] === red && pixels[at + 1] === green && pixels[at + 2] === blue) found += 1;
    }
    return found > 200;
  }, selector);
