// All entries in one file, for those who require it: they share their classes.
export * as index from "../index.js";
export * as http from "./http.js";
export * as backoff from "./backoff.js";
export * as stored from "./stored.js";
