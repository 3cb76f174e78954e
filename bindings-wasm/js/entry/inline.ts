import text from "#module";
import { install } from "../engine.js";
import { startText } from "./start.js";

install(startText(text));

export * from "../index.js";
