// The built package and the clients it is tested with, which are installed beside it.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../bindings-node/package.json", import.meta.url));

export * from "../../bindings-node/dist/index.js";
export * from "../../bindings-node/dist/store.js";
export * from "../../bindings-node/dist/redis.js";
export * from "../../bindings-node/dist/postgres.js";
export const Ioredis = require("ioredis");
export const nodeRedis = require("redis");
export const pg = require("pg");
