import * as glue from "#glue";
import { type Engine, WORDS, install } from "../engine.js";

/** Starts the engine; calling it again changes nothing. */
export function start(module: WebAssembly.Module): void {
  if (started) return;
  const { exports } = new WebAssembly.Instance(module, { "./engine_bg.js": { ...glue } });
  glue.__wbg_set_wasm(exports);
  (exports["__wbindgen_start"] as (() => void) | undefined)?.();
  const memory = exports["memory"] as WebAssembly.Memory;
  const address = glue.wordsAddress();
  install({
    ...glue,
    // These take and return numbers only: nothing needs to stand between.
    decide: exports["decide"] as Engine["decide"],
    check: exports["check"] as Engine["check"],
    run: exports["run"] as Engine["run"],
    words: () => new BigInt64Array(memory.buffer, address, WORDS),
  });
  started = true;
}

let started = false;
