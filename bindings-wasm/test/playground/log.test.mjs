// The second tab: what limits would have made of a web server's log.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { playground, repo, text } from "./page.mjs";

const open = playground();
const log = readFileSync(join(repo, "tests/data/access.log"), "utf8");

/** Drops a file on the page, as a user does. */
async function drop(page, content, name = "access.log") {
  const transfer = await page.evaluateHandle(
    ([content, name]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], name));
      return transfer;
    },
    [content, name],
  );
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent("#drop", type, { dataTransfer: transfer });
}

/** The totals, once they are those of the limits. */
async function totals(page, admitted) {
  await page.waitForFunction(
    (admitted) => document.querySelector("#log-admitted").textContent === admitted,
    admitted,
  );
  return Promise.all(
    ["#log-admitted", "#log-refused", "#log-keys", "#log-keys-refused"].map((id) => text(page, id)),
  );
}

test("a log that is dropped is read in the browser, and has the totals of the command line", () =>
  open({ hash: "#log" }, async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push([request.method(), request.postData()]));
    await drop(page, log);
    assert.deepEqual(await totals(page, "8,987"), ["8,987", "1,013", "1,753", "54"]);
    assert.equal(await text(page, "#log-status"), "10,000 requests in access.log.");
    assert.equal(await page.locator("#log-rows tr").count(), 20);
    assert.deepEqual(await page.locator("#log-rows tr").nth(2).locator("th, td:not(.bar)").allInnerTexts(), [
      "10.0.4.138",
      "357",
      "136",
      "221",
      "6 s",
    ]);
    await page.selectOption("#log-sort", "mostRefused");
    assert.equal(await text(page, "#log-rows tr:first-child th"), "10.0.4.138");
    assert.ok((await page.locator("#log-chart canvas").count()) === 1);
    // Other limits and keys over the same file.
    await page.fill("#log-limits", "cycle 20/min");
    assert.deepEqual(await totals(page, "9,133"), ["9,133", "867", "1,753", "45"]);
    await page.fill("#log-limits", "2000/day aligned");
    await page.selectOption("#log-key", "all");
    assert.deepEqual(await totals(page, "7,632"), ["7,632", "2,368", "1", "1"]);
    // Its own worker was asked for, and nothing was sent.
    assert.ok(asked.length > 0);
    for (const request of asked) assert.deepEqual(request, ["GET", null]);
  }));

test("what a link says of the limits is there before the log", () =>
  open({ hash: "#log?limits=cycle+20%2Fmin&key=client" }, async (page) => {
    await page.click("#log-sample");
    assert.deepEqual(await totals(page, "9,133"), ["9,133", "867", "1,753", "45"]);
    await page.fill("#log-limits", "10/min; 3/s");
    assert.match(await page.evaluate(() => location.hash), /^#log\?limits=10%2Fmin%3B\+3%2Fs&key=client$/);
  }));

test("bad lines are left out and told of, requests are put in order, a file without any is an error", () =>
  open({ hash: "#log?limits=1/min" }, async (page) => {
    const line = (time, client = "h") =>
      `${client} - - [17/May/2015:${time} +0000] "GET /\\" HTTP/1.1" 200 1`;
    await drop(
      page,
      [line("10:01:00"), "nonsense", "", line("10:00:00"), line("10:00:30"), line("10:01:10", "other")].join(
        "\n",
      ),
    );
    assert.deepEqual(await totals(page, "3"), ["3", "1", "2", "1"]);
    assert.equal(
      await text(page, "#log-status"),
      "4 requests in access.log. Left out: 1 line; line 2: no time in brackets.",
    );
    await drop(page, "a picture", "cat.jpg");
    await page.waitForFunction(() => document.querySelector("#log-status").dataset.kind === "error");
    assert.match(
      await text(page, "#log-status"),
      /no request in Common or Combined Log Format; line 1: no time in brackets/,
    );
    assert.ok(await page.isHidden("#log-results"));
    await drop(page, "", "empty.log");
    await page.waitForFunction(
      () => document.querySelector("#log-status").textContent === "The file is empty.",
    );
    // And it goes on.
    await drop(page, line("10:00:00"));
    assert.deepEqual(await totals(page, "1"), ["1", "0", "1", "0"]);
  }));

test("a log of many pieces is read whole, and its progress is of its bytes", () =>
  open({ hash: "#log" }, async (page) => {
    await page.evaluate(() => {
      globalThis.seen = [];
      const { set, get } = Object.getOwnPropertyDescriptor(HTMLProgressElement.prototype, "value");
      Object.defineProperty(HTMLProgressElement.prototype, "value", {
        get,
        set(value) {
          seen.push(value);
          set.call(this, value);
        },
      });
    });
    await drop(page, log.repeat(8));
    await page.waitForFunction(
      () => document.querySelector("#log-status").textContent === "80,000 requests in access.log.",
    );
    const seen = await page.evaluate(() => globalThis.seen);
    assert.ok(seen.length > 4, `told of ${seen.length} pieces`);
    assert.deepEqual(
      seen,
      [...seen].sort((one, other) => one - other),
    );
    assert.equal(await page.evaluate(() => document.querySelector("#log-progress").max), 8 * log.length);
    assert.ok(await page.isHidden("#log-progress"));
  }));
