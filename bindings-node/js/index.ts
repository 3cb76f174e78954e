import { install } from "../../bindings-wasm/js/engine.js";
import { load } from "./native.js";

install(load());

export * from "../../bindings-wasm/js/index.js";
