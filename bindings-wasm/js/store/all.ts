// All entries of stores in one file: they share their classes.
export * as store from "./index.js";
export * as redis from "./redis.js";
export * as postgres from "./postgres.js";
