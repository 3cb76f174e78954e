import { module } from "#module/backoff";
import { asked } from "../ask.js";
import { startAsked } from "./start.js";

asked.backoff = startAsked(module);

export * from "../backoff.js";
