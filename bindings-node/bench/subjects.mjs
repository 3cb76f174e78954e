// What is measured: each name gives a function to call, with the number of the call.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** A bucket in doubles, as one writes it by hand. */
class Doubles {
  constructor(capacity, perMs) {
    Object.assign(this, { capacity, perMs, level: capacity, last: 0 });
  }

  tryTake(n, now) {
    this.level = Math.min(this.capacity, this.level + (now - this.last) * this.perMs);
    this.last = now;
    if (this.level < n) return false;
    this.level -= n;
    return true;
  }
}

const KEYS = Array.from({ length: 100_000 }, (_, index) => `client:${index}`);
// Every key in an order that no cache foresees.
const key = (call) => KEYS[(call * 7919) % KEYS.length];

const load = { native: () => import("../dist/node/index.js"), wasm: () => import("../../bindings-wasm/dist/node/index.js") };

const limiter = (build) => async () => {
  const { Limiter } = await load[build]();
  const limiter = new Limiter("1000000/s", { clock: { now: () => 0 } });
  return (call) => limiter.tryAcquire(1, call);
};

const refusing = (build) => async () => {
  const { Limiter } = await load[build]();
  const limiter = new Limiter("1/day", { clock: { now: () => 0 } });
  return (call) => limiter.tryAcquire(1, call & 1023);
};

const clocked = (build) => async () => {
  const { Limiter } = await load[build]();
  const limiter = new Limiter("1000000000/s");
  return () => limiter.tryAcquire();
};

const checking = (build) => async () => {
  const { Limiter } = await load[build]();
  const limiter = new Limiter("1000000/s", { clock: { now: () => 0 } });
  return (call) => limiter.check(1, call).remaining;
};

const keyed = (build) => async () => {
  const { KeyedLimiter } = await load[build]();
  const limiter = new KeyedLimiter("1000000/s", { maxKeys: KEYS.length, clock: { now: () => 0 } });
  return (call) => limiter.tryAcquire(key(call), 1, 1);
};

export const SUBJECTS = {
  "pure JavaScript, doubles": async () => {
    const bucket = new Doubles(1_000_000, 1_000);
    return (call) => bucket.tryTake(1, call);
  },
  "Node-API, no-op": async () => {
    const module = { exports: {} };
    process.dlopen(module, fileURLToPath(new URL("../../target/node/release/examples/libnoop.so", import.meta.url)));
    const { noop } = module.exports;
    return (call) => noop(1, call);
  },
  "wasm tryAcquire": limiter("wasm"),
  "native tryAcquire": limiter("native"),
  "wasm tryAcquire, refused": refusing("wasm"),
  "native tryAcquire, refused": refusing("native"),
  "wasm tryAcquire, clock read": clocked("wasm"),
  "native tryAcquire, clock read": clocked("native"),
  "wasm check": checking("wasm"),
  "native check": checking("native"),
  "limiter": async () => {
    const { RateLimiter } = require("limiter");
    const limiter = new RateLimiter({ tokensPerInterval: 1_000_000_000, interval: "second" });
    return () => limiter.tryRemoveTokens(1);
  },
  "wasm keyed": keyed("wasm"),
  "native keyed": keyed("native"),
  "rate-limiter-flexible keyed": async () => {
    const { RateLimiterMemory } = require("rate-limiter-flexible");
    const limiter = new RateLimiterMemory({ points: 1_000_000, duration: 3_600 });
    return (call) => limiter.consume(key(call), 1);
  },
  "express-rate-limit store keyed": async () => {
    const { MemoryStore } = require("express-rate-limit");
    const store = new MemoryStore();
    store.init({ windowMs: 3_600_000 });
    return (call) => store.increment(key(call));
  },
  "native acquire": async () => {
    const { Limiter } = await load.native();
    const limiter = new Limiter("1000000000/s");
    return () => limiter.acquire();
  },
  "bottleneck schedule": async () => {
    const Bottleneck = require("bottleneck");
    const limiter = new Bottleneck({ reservoir: 1_000_000_000 });
    // A job takes milliseconds.
    return Object.assign(() => limiter.schedule(async () => {}), { calls: 50 });
  },
};
