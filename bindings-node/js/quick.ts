import { decision } from "../../bindings-wasm/js/decision.js";
import { At, engine, float, put, putBytes, takeBytes } from "../../bindings-wasm/js/engine.js";
import { checked } from "../../bindings-wasm/js/fault.js";
import { inheritanceNumber } from "../../bindings-wasm/js/inheritance.js";
import type { Quick } from "../../bindings-wasm/js/stored.js";

/** Checks of stored limits without text, see `engine/src/stored.rs`. */
export const quick: Quick = {
  check(stored, desired, nowUs, cost) {
    const usual = (cost | 0) === cost && engine.storedCheck !== undefined;
    if (!usual || (stored !== null && !putBytes(At.records, stored))) return undefined;
    const { limits, version, inheritance = "as-is" } = desired;
    if (version !== undefined) put(At.number, BigInt(version));
    const mode = version === undefined ? -1 : inheritanceNumber(inheritance);
    const length = stored === null ? -1 : stored.length;
    const result = checked(engine.storedCheck!(limits.slot, mode, cost, nowUs, length));
    if (result < 0) return undefined;
    const written = result >> 1;
    return {
      allowed: (result & 1) === 1,
      write: written === 0 ? null : takeBytes(At.records, written),
      keepMs: float(At.number),
    };
  },
  decision: (step, limits) => decision(step.allowed, limits.names),
};
