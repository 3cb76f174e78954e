import { module } from "#module/engine";
import { install } from "../engine.js";
import { start } from "./start.js";

install(start(module()));

export * from "../index.js";
