// Numbers that the compiled core and JavaScript must have alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

/** Constants of Rust, by names as JavaScript writes them. */
function constants(source) {
  const pascal = (name) => name.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase());
  const found = source.matchAll(/const ([A-Z_]+): (?:u32|usize) = (\d+);/g);
  return Object.fromEntries([...found].map(([, name, value]) => [pascal(name), Number(value)]));
}

/** The entries of an object of JavaScript. */
function entries(source, name) {
  const [, body] = new RegExp(`const ${name} = \\{([^}]*)\\}`).exec(source);
  return Object.fromEntries([...body.matchAll(/(\w+): (\d+)/g)].map(([, key, value]) => [key, Number(value)]));
}

const module = (source, name) => new RegExp(`mod ${name} \\{([^}]*)\\}`).exec(source)[1];

test("operations and questions have the same numbers on both sides", () => {
  assert.deepEqual(entries(read("js/engine.ts"), "Op"), constants(module(read("engine/src/run.rs"), "op")));
  for (const [file, name] of [["http", "web"], ["backoff", "backoffs"], ["stored", "steps"]]) {
    const asked = constants(module(read("engine/src/ask/mod.rs"), name));
    assert.deepEqual(entries(read(`js/${file}.ts`), "Ask"), asked);
  }
});

test("words are in the same places", () => {
  const { Len, Cost, Now, MaxWait, Number: number, Result, Records } = constants(read("engine/src/words.rs"));
  const expected = { cost: Cost, now: Now, maxWait: MaxWait, number, result: Result, records: Records };
  assert.deepEqual(entries(read("js/engine.ts"), "At"), expected);
  assert.match(read("js/engine.ts"), new RegExp(`const WORDS = ${Len};`));
});
