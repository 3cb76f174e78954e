// All entries in one file: they share their classes and the compiled core.
import { asked } from "../../bindings-wasm/js/ask.js";
import { install } from "../../bindings-wasm/js/engine.js";
import { load } from "./native.js";

const core = load();
install(core.engine);
Object.assign(asked, core.asked);

export * as index from "../../bindings-wasm/js/index.js";
export * as http from "../../bindings-wasm/js/http.js";
export * as backoff from "../../bindings-wasm/js/backoff.js";
export * as stored from "../../bindings-wasm/js/stored.js";
