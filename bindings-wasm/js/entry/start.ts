import type { Asked } from "../ask.js";
import type { Engine } from "../engine.js";

/** What every module exports, see `border/src/lib.rs`. */
interface Border {
  memory: WebAssembly.Memory;
  textRoom(bytes: number): number;
  textAddress(): number;
  wordsAddress(): number;
}

/** A module that runs; texts go in before a call, and come out after it. */
function run<T>(module: WebAssembly.Module) {
  const exports = new WebAssembly.Instance(module).exports as unknown as Border & T;
  const bytes = (address: number, length: number) => new Uint8Array(exports.memory.buffer, address, length);
  const give = (text: string) => {
    const encoded = new TextEncoder().encode(text);
    bytes(exports.textRoom(encoded.length), encoded.length).set(encoded);
  };
  const take = (length: number) => new TextDecoder().decode(bytes(exports.textAddress(), length));
  return { exports, give, take };
}

/** The functions of the module of limiters that take a text or leave one. */
interface Texts {
  limitsParse(): number;
  limitsAdd(): number;
  limitsText(limits: number): number;
  faultText(): number;
}

/** Starts the compiled core of limiters. */
export function start(module: WebAssembly.Module): Engine {
  const { exports, give, take } = run<Omit<Engine, keyof Texts | "words"> & Texts>(module);
  return {
    // What takes and returns numbers only needs nothing in between.
    ...exports,
    limitsParse: (text) => (give(text), exports.limitsParse()),
    limitsAdd: (name) => (give(name), exports.limitsAdd()),
    limitsText: (limits) => take(exports.limitsText(limits)),
    faultText: () => take(exports.faultText()),
    words: (length) => new BigInt64Array(exports.memory.buffer, exports.wordsAddress(), length),
  };
}

/** Starts another part of the core when it is asked for the first time. */
export function startAsked(module: () => WebAssembly.Module): Asked {
  let started: Asked | undefined;
  const begin = (): Asked => {
    const { exports, give, take } = run<{ ask(operation: number): number }>(module());
    return (operation, question) => (give(question), take(exports.ask(operation)));
  };
  return (operation, question) => (started ??= begin())(operation, question);
}

/** The module written as text, see `bundle.mjs`: each byte is the lowest eight bits of a character less
 * 36. */
export function moduleOf(text: string): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(text, (character) => character.charCodeAt(0) - 36));
}
