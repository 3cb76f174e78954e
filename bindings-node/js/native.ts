import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import type { Asked, asked } from "../../bindings-wasm/js/ask.js";
import type { Engine } from "../../bindings-wasm/js/engine.js";

/** The functions of the native build that use the words take them last. */
type WithWords = "decideAll" | "check" | "run" | "groupNew" | "entryNew" | "limitsParse" | "limitsAdd" | "limitsLook" | "nanos" | "nanosExact" | "millis" | "groupShared" | "storedCheck";
type Whole = Required<Engine>;
type Native = { wordsLength(): number; askHttp: Asked; askBackoff: Asked; askStored: Asked } & Omit<Whole, WithWords | "words"> & {
  [Name in WithWords]: (...args: [...Parameters<Whole[Name]>, BigInt64Array]) => ReturnType<Whole[Name]>;
};

const WARNED = "tokenweir: the fallback to WebAssembly has been told";

/** All that is compiled: limiters, and what is asked beside them. */
export interface Core {
  engine: Engine;
  asked: Required<typeof asked>;
}

/** The native build, or what stands in for it. */
function found(): Core {
  if (process.env["TOKENWEIR_ENGINE"] === "wasm") return fallback();
  const name = `${process.platform}-${process.arch}`;
  for (const libc of process.platform === "linux" ? ["-gnu", "-musl"] : [""]) {
    const file = `../native/${name}${libc}.node`;
    try {
      const native = require(file) as Native;
      const { askHttp: http, askBackoff: backoff, askStored: stored } = native;
      return { engine: wrap(native), asked: { http, backoff, stored } };
    } catch {
      // There may be another; if none loads, that is told below.
    }
  }
  if (getEnvironmentData(WARNED) === undefined) {
    setEnvironmentData(WARNED, true);
    process.emitWarning(`no native build loads on ${name}, WebAssembly is used instead`, {
      type: "TokenweirWarning",
      code: "TOKENWEIR_WASM",
    });
  }
  return fallback();
}

function fallback(): Core {
  return (require("./fallback.js") as { fallback(): Core }).fallback();
}

function wrap(native: Native): Engine {
  const words = new BigInt64Array(native.wordsLength());
  return {
    ...native,
    // Where both numbers fit into one that is no object, one is passed.
    decide: (group, entry, cost, now) =>
      cost === 1 && group < 1_024 && entry < 1_048_576
        ? native.decideOne(entry * 1_024 + group, now)
        : native.decide(group, entry, cost, now),
    decideOne: (group, now) => (group < 1_024 ? native.decideOne(group, now) : native.decide(group, 0, 1, now)),
    check: (group, entry, cost, now) => native.check(group, entry, cost, now, words),
    run: (group, entry, operation) => native.run(group, entry, operation, words),
    groupNew: (limits) => native.groupNew(limits, words),
    entryNew: (group) => native.entryNew(group, words),
    decideAll: () => native.decideAll(words),
    limitsParse: (text) => native.limitsParse(text, words),
    limitsAdd: (name) => native.limitsAdd(name, words),
    limitsLook: (limits) => native.limitsLook(limits, words),
    nanos: (millis) => native.nanos(millis, words),
    nanosExact: (millis) => native.nanosExact(millis, words),
    groupShared: (limits, name) => native.groupShared(limits, name, words),
    storedCheck: (limits, mode, cost, nowUs, length) => native.storedCheck(limits, mode, cost, nowUs, length, words),
    millis: () => native.millis(words),
    words: () => words,
  };
}

export const core = found();
export const load = (): Engine => core.engine;
