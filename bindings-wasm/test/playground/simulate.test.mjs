// The first tab: two limiters under the same traffic.
import assert from "node:assert/strict";
import test from "node:test";
import { lane, playground, preset, run, text } from "./page.mjs";

const open = playground();

test("around its edge a cycle lets through twice its limit, and a bucket does not", () =>
  open({}, async (page) => {
    assert.equal(await page.getAttribute('[data-preset="boundary"]', "aria-pressed"), "true");
    for (let steps = 0; (await text(page, "#now")) < "0:10.25"; steps += 1) {
      assert.ok(steps < 100, "the second burst is reached by steps");
      await page.click("#step");
    }
    assert.equal(await text(page, "#now"), "0:10.25");
    assert.deepEqual(await run(page), {
      now: "0:10.25",
      most: ["20", "10"],
      a: { granted: 20, refused: 0, longest: "none", answer: "granted, 0 left", levels: ["0 / 10"] },
      b: {
        granted: 10,
        refused: 10,
        longest: "500 ms",
        answer: "refused: again in 500 ms",
        levels: ["0 / 10"],
      },
    });
    assert.match(
      await text(page, "#simulate-status"),
      /^At 0:10\.25\. A: 20 granted, 0 refused\. B: 10 granted, 10 refused, wait: 500 ms\. Within 1 s at most 20 and/,
    );
  }));

test("each preset shows what it says", () =>
  open({}, async (page) => {
    await preset(page, "refill", 59);
    let { a, b } = await run(page);
    assert.deepEqual([a.granted, a.longest, b.granted, b.longest], [6, "42 s", 11, "7 s"]);

    await preset(page, "two", 30);
    ({ a, b } = await run(page));
    assert.match(a.answer, /^refused by minute: again in \d+ ms$/);
    assert.deepEqual(b.refused, 0);
    assert.equal(a.levels.length, 2);
    assert.equal(a.levels[0], "16 / 20", "what the minute refuses is not taken from the burst");

    await preset(page, "day", 6 * 3_600 - 1);
    assert.deepEqual((await lane(page, "a")).levels, ["8 / 20"]);
    await preset(page, "day", 6 * 3_600);
    assert.equal(await text(page, "#now"), "day 2, 00:00");
    assert.deepEqual(
      (await lane(page, "a")).levels,
      ["19 / 20"],
      "full at midnight, less what was asked then",
    );

    await preset(page, "never", 10);
    ({ a, b } = await run(page));
    assert.deepEqual([a.granted, a.longest, a.answer], [0, "never", "refused: never"]);
    assert.ok(b.granted > 0 && b.longest === "2 s");
    assert.ok(await page.isVisible('#lane-a [data-part="never"]'));

    await preset(page, "retry", 30);
    ({ a, b } = await run(page));
    for (const { granted, refused } of [a, b]) {
      assert.ok(refused > 0 && granted >= refused, "the request after a refusal is granted");
    }
  }));

test("the same setup gives the same run, however it was reached, and a link shows it", async () => {
  let link, seen, drawn;
  const charts = (page) =>
    page.evaluate(() => [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()));
  await open({}, async (page) => {
    await page.click('[data-preset="two"]');
    await page.waitForFunction(() => document.querySelector("#now").textContent > "0:03");
    await page.click("#play");
    await page.click("#send");
    await page.click("#send");
    await page.click("#step");
    // By steps of a hundredth, some are at instants at which the charts show levels.
    for (let steps = 0; steps < 4; steps += 1) {
      await page.click("#step");
      await page.click("#send");
    }
    await page.mouse.move(0, 0);
    await page.click("#share");
    link = await page.evaluate(() => location.hash);
    seen = await run(page);
    drawn = await charts(page);
  });
  await open({ hash: link }, async (page) => {
    assert.deepEqual(await run(page), seen);
    assert.deepEqual(await charts(page), drawn);
    assert.equal(drawn.length, 6);
    assert.equal(await page.inputValue("#limits-A"), "burst: 10/s burst 20; minute: 100/min");
    assert.equal(await page.inputValue("#traffic-kind"), "bursts");
    assert.equal(await page.getAttribute("#play", "data-playing"), "false");
    // At the beginning again, without what was sent by hand.
    await page.click("#reset");
    assert.equal(await text(page, "#now"), "0:00.00");
    assert.equal((await lane(page, "a")).granted, 15);
  });
});

test("what a link says wrongly is not believed", () =>
  open(
    { hash: "#simulate?a=10/parsec&b=5/s&traffic=bursts+1e9&cost=-1&speed=7&view=1&at=-5&hand=x+9x9x" },
    async (page) => {
      assert.equal(await page.inputValue("#limits-A"), "10/parsec");
      assert.equal(await page.getAttribute("#limits-A", "aria-invalid"), "true");
      assert.equal(await page.inputValue("#limits-B"), "5/s");
      assert.equal(await page.inputValue("#cost"), "1");
      assert.equal(await text(page, "#now"), "0:00.00");
      // The other one runs.
      await page.click("#send");
      assert.deepEqual((await lane(page, "b")).levels, ["4 / 5"]);
    },
  ));

test("a mistake in the limits is shown at its place, and what ran before runs on", () =>
  open({}, async (page) => {
    await page.fill("#limits-A", "burst: 5/s; 10/fortnight");
    assert.equal(await text(page, "#lane-a .error mark"), "f");
    assert.match(await text(page, "#lane-a .error"), /column 16: expected a unit of time .*, found "fortnight"\. Until then: cycle 10\/10s$/);
    assert.equal(await page.getAttribute("#limits-A", "aria-invalid"), "true");
    assert.deepEqual((await lane(page, "a")).levels, ["10 / 10"]);
    // The other side can be changed meanwhile.
    await page.fill("#limits-B", "3/s");
    assert.deepEqual((await lane(page, "b")).levels, ["3 / 3"]);
    assert.equal(await page.inputValue("#limits-A"), "burst: 5/s; 10/fortnight");
    await page.fill("#limits-A", "burst: 5/s; 10/min");
    assert.ok(await page.isHidden("#lane-a .error"));
    assert.deepEqual((await lane(page, "a")).levels, ["5 / 5", "10 / 10"]);
    assert.equal(await page.getAttribute("#limits-A", "aria-invalid"), null);
  }));

test("traffic is written as a sentence, and nonsense in it changes nothing", () =>
  open({}, async (page) => {
    await page.selectOption("#traffic-kind", "steady");
    await page.getByLabel("Requests each second").fill("2");
    await page.getByLabel("each costs").fill("3");
    await page.click("#step");
    await page.click("#step");
    await page.click("#step");
    assert.deepEqual((await lane(page, "b")).levels, ["4 / 10"]);
    await page.getByLabel("Requests each second").fill("-2");
    await page.getByLabel("each costs").fill("1.5");
    assert.deepEqual((await lane(page, "b")).levels, ["4 / 10"]);
    assert.match(await page.evaluate(() => location.hash), /traffic=steady\+2&cost=3&/);
  }));

test("while the button is held, requests are sent", () =>
  open({ hash: "#simulate?a=100/h&b=3/h&traffic=hand" }, async (page) => {
    await page.hover("#send");
    await page.mouse.down();
    await page.waitForFunction(
      () => Number(document.querySelector('#lane-b [data-part="refused"]').textContent) >= 2,
    );
    await page.mouse.up();
    const { a, b } = await run(page);
    assert.equal(b.granted, 3);
    assert.equal(a.granted, b.granted + b.refused, "both are asked alike");
    await page.click("#send");
    assert.equal((await lane(page, "a")).granted, a.granted + 1, "the button has been let go");
  }));
