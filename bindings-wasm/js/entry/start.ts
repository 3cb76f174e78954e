import * as glue from "#glue";
import { type Engine, WORDS } from "../engine.js";

/** Starts the compiled core. */
export function start(module: WebAssembly.Module): Engine {
  const { exports } = new WebAssembly.Instance(module, { "./engine_bg.js": { ...glue } });
  glue.__wbg_set_wasm(exports);
  (exports["__wbindgen_start"] as (() => void) | undefined)?.();
  const memory = exports["memory"] as WebAssembly.Memory;
  const address = glue.wordsAddress();
  return {
    ...glue,
    // These take and return numbers only: nothing needs to stand between.
    decide: exports["decide"] as Engine["decide"],
    check: exports["check"] as Engine["check"],
    run: exports["run"] as Engine["run"],
    words: () => new BigInt64Array(memory.buffer, address, WORDS),
  };
}

// A character for each byte, from the first printable one on.
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0) - 32);

/** As {@link start}, of a module written as text. */
export function startText(text: string): Engine {
  return start(new WebAssembly.Module(bytes(text)));
}
