import module from "#wasm";
import { start } from "./start.js";

start(module);

export * from "../index.js";
