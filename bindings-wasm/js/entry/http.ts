import { module } from "#module/http";
import { asked } from "../ask.js";
import { startAsked } from "./start.js";

asked.http = startAsked(module);

export * from "../http.js";
