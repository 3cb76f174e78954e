// All entries in one file: they share their classes and the compiled core.
import { asked } from "../../bindings-wasm/js/ask.js";
import { native } from "../../bindings-wasm/js/stored.js";
import { core } from "./native.js";
import { quick } from "./quick.js";

Object.assign(asked, core.asked);
native.quick = quick;

export * as index from "../../bindings-wasm/js/index.js";
export * as http from "../../bindings-wasm/js/http.js";
export * as backoff from "../../bindings-wasm/js/backoff.js";
export * as stored from "../../bindings-wasm/js/stored.js";
