import { decision } from "../../bindings-wasm/js/decision.js";
import { At, engine, float, put, putBytes, takeBytes } from "../../bindings-wasm/js/engine.js";
import { checked } from "../../bindings-wasm/js/fault.js";
import { inheritanceNumber } from "../../bindings-wasm/js/inheritance.js";
import type { quick } from "../../bindings-wasm/js/stored.js";

/** A check of stored limits without text, see `engine/src/stored.rs`. */
export const check: typeof quick.check = (stored, desired, nowUs, cost) => {
  const usual = (cost | 0) === cost && engine.storedCheck !== undefined;
  if (!usual || (stored !== null && !putBytes(At.records, stored))) return undefined;
  const { limits, version, inheritance = "as-is" } = desired;
  if (version !== undefined) put(At.number, BigInt(version));
  const mode = version === undefined ? -1 : inheritanceNumber(inheritance);
  const result = checked(engine.storedCheck!(limits.slot, mode, cost, nowUs, stored?.length ?? -1));
  if (result < 0) return undefined;
  const length = result >> 1;
  return {
    decision: decision((result & 1) === 1, limits.names),
    write: length === 0 ? null : takeBytes(At.records, length),
    keepMs: float(At.number),
  };
};
