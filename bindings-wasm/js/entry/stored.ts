import { module } from "#module/stored";
import { asked } from "../ask.js";
import { startAsked } from "./start.js";

asked.stored = startAsked(module);

export * from "../stored.js";
