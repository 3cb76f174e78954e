// The compiled core of limiters, as WebAssembly.
import { module } from "#module/engine";
import { start } from "./start.js";

export const load = () => start(module());
