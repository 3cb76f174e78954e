import bytes from "#module";
import { start } from "./start.js";

// A character for each byte, from the first printable one on.
start(new WebAssembly.Module(Uint8Array.from(bytes, (character) => character.charCodeAt(0) - 32)));

export * from "../index.js";
