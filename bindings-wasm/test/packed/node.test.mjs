// The packed packages in empty projects of Node: CommonJS, ES modules, TypeScript.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bin, project, run } from "./project.mjs";

const PACKAGES = ["tokenweir", "tokenweir-wasm"];
const node = (root, ...args) => run(root, process.execPath, ...args).trim();

const use = `
const clock = new ManualClock();
const limiter = new Limiter("2/s; 100/day", { clock });
console.log([limiter.tryAcquire(2), limiter.tryAcquire(), limiter.peek().retryAfterMs].join());
`;

test("the stores of tokenweir are imported and required, and share its core", () => {
  const root = project("tokenweir-stores", ["tokenweir"], { type: "module" }, {
    "main.js": `
      import { createRequire } from "node:module";
      import { TokenweirError } from "tokenweir";
      import { PostgresStore } from "tokenweir/postgres";
      import { RedisStore } from "tokenweir/redis";
      import { MemoryStore, StoreError, StoredLimiter } from "tokenweir/store";
      const require = createRequire(import.meta.url);
      const same = [StoreError, require("tokenweir/store").StoreError].every((error) => error.prototype instanceof TokenweirError);
      const limiter = new StoredLimiter(new MemoryStore(), "2/day");
      const granted = [];
      for (let call = 0; call < 3; call += 1) granted.push(await limiter.tryAcquire("key"));
      console.log([...granted, same, typeof RedisStore, PostgresStore.schema.includes("CREATE TABLE")].join());`,
  });
  assert.equal(node(root, "main.js"), "true,true,false,true,function,true");
});

for (const name of PACKAGES) {
  test(`${name} is required`, () => {
    const root = project(`${name}-cjs`, [name], {}, {
      "main.js": `const { Limiter, ManualClock } = require("${name}");${use}`,
    });
    assert.equal(node(root, "main.js"), "true,false,500");
  });

  test(`${name} is imported, and shares its classes with what requires it`, () => {
    const root = project(`${name}-esm`, [name], { type: "module" }, {
      "main.js": `import { Limiter, ManualClock } from "${name}";${use}`,
      "both.js": `
        import { createRequire } from "node:module";
        import { Limiter } from "${name}";
        console.log(createRequire(import.meta.url)("${name}").Limiter === Limiter);`,
    });
    assert.equal(node(root, "main.js"), "true,false,500");
    assert.equal(node(root, "both.js"), "true");
  });

  test(`${name} sets no timer, reads no file later and prints nothing when it is imported`, () => {
    const root = project(`${name}-quiet`, [name], { type: "module" }, {
      "main.js": `
        const api = await import("${name}");
        new api.Limiter("10/s");
        new api.KeyedLimiter("10/s");
        const resources = process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name.startsWith("FS"));
        console.log(resources.length);`,
    });
    assert.equal(node(root, "main.js"), "0");
  });

  for (const [kind, module, manifest] of [
    ["esm", "nodenext", { type: "module" }],
    ["cjs", "nodenext", {}],
    ["bundler", "preserve", { type: "module" }],
  ]) {
    test(`${name} has types, in a ${kind} project`, () => {
      const root = project(`${name}-ts-${kind}`, [name], manifest, {
        "main.ts": `
          import { type Decision, Limiter, ManualClock, TokenBucket, Bandwidth } from "${name}";
          import { Backoff } from "${name}/backoff";
          import * as http from "${name}/http";
          import { type Command } from "${name}/stored";
          const limiter: Limiter = new Limiter("10/s", { clock: new ManualClock() });
          export const decision: Decision = limiter.check(2);
          export const exact: bigint = new TokenBucket(Bandwidth.greedy(1, 1, 1), { clock: new ManualClock(0n) }).available();
          export const fields: [string, string][] = http.fields("draft", []);
          export const delay: number | undefined = new Backoff().next(0).delay;
          export const command: Command = { type: "check", cost: 1 };
          // @ts-expect-error
          limiter.tryAcquire("2");`,
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            strict: true,
            module,
            moduleResolution: module === "preserve" ? "bundler" : module,
            target: "es2022",
            lib: ["es2022", "dom"],
            noEmit: true,
            types: [],
            skipLibCheck: false,
          },
          files: ["main.ts"],
        }),
      });
      node(root, join(bin("typescript"), "bin/tsc"), "-p", root);
    });
  }
}

// Limits in a store, of which only the package for Node has the clients.
const stored = `
          import { MemoryStore, StoredLimiter } from "tokenweir/store";
          const shared = new StoredLimiter(new MemoryStore(), "1/s");
          export const more = [express({ scopes: [{ limiter: shared }, { limiter: shared, key: () => "all" }] }), limitedFetch({ limiter: shared })];`;

const ENTRIES = ["express", "fastify", "hono", "koa", "fetch"];

for (const name of PACKAGES) {
  for (const [kind, manifest, load] of [
    ["imports", { type: "module" }, (entry) => `await import("${entry}")`],
    ["requires", {}, (entry) => `require("${entry}")`],
  ]) {
    test(`${name} has middleware for whoever ${kind} it, and needs none of the frameworks`, () => {
      const root = project(`${name}-web-${kind}`, [name], manifest, {
        "main.js": `
          const { KeyedLimiter, RateLimitedError } = ${load(name)};
          const limiter = new KeyedLimiter("1/h");
          ${ENTRIES.map((entry) => `const ${entry} = ${load(`${name}/${entry}`)};`).join("\n")}
          const made = [express, koa, hono].map(({ rateLimit }) => typeof rateLimit({ limiter }));
          console.log([...made, typeof fastify.rateLimit, typeof fastify.limitRoute({ limiter })].join());
          const limited = fetch.limitedFetch({ limiter, onLimit: "throw", cost: 2 });
          limited("http://127.0.0.1/").catch((error) => console.log(error.code, error instanceof RateLimitedError));`,
      });
      assert.equal(node(root, "main.js"), "function,function,function,function,function\nnever true");
    });
  }

  for (const [kind, module, manifest] of [
    ["esm", "nodenext", { type: "module" }],
    ["cjs", "nodenext", {}],
  ]) {
    test(`${name} has types of middleware, in a ${kind} project with the frameworks`, () => {
      const root = project(`${name}-web-ts-${kind}`, [name], manifest, {
        "main.ts": `
          import { KeyedLimiter } from "${name}";
          ${ENTRIES.slice(0, 4).map((entry) => `import { rateLimit as ${entry} } from "${name}/${entry}";`).join("\n")}
          import { limitedFetch } from "${name}/fetch";
          import type { Application } from "express";
          import type { FastifyInstance } from "fastify";
          const limiter = new KeyedLimiter("10/s");
          export function install(app: Application, other: FastifyInstance): void {
            app.use(express({ limiter, cost: (request) => request.path.length }));
            void other.register(fastify, { limiter, stage: "preHandler" });
          }
          export const rest = [hono({ limiter }), koa({ limiter })];
          export const call: typeof fetch = limitedFetch({ limiter });
          ${name === "tokenweir" ? stored : ""}
          // @ts-expect-error
          express({ limiter, cost: "5" });`,
        "tsconfig.json": JSON.stringify({
          compilerOptions: { strict: true, module, target: "es2022", lib: ["es2022", "dom"], noEmit: true, types: [], skipLibCheck: true },
          files: ["main.ts"],
        }),
      });
      for (const framework of ["@types", "express", "fastify", "hono", "koa"]) {
        symlinkSync(bin(framework), join(root, "node_modules", framework));
      }
      node(root, join(bin("typescript"), "bin/tsc"), "-p", root);
    });
  }
}

test("tokenweir says once that no native build loads, and runs on WebAssembly", () => {
  const root = project("fallback", ["tokenweir"], {}, {
    "main.js": `
      const { rmSync } = require("node:fs");
      const { Worker } = require("node:worker_threads");
      rmSync(require("node:path").join(__dirname, "node_modules/tokenweir/dist/native"), { recursive: true });
      process.on("warning", (warning) => console.log(warning.code, warning.message));
      const { Limiter, ManualClock } = require("tokenweir");${use}
      new Worker("require('tokenweir'); process.on('warning', () => console.log('again'))", { eval: true });`,
  });
  const [answer, warning, ...more] = node(root, "--no-warnings", "main.js").split("\n");
  assert.equal(answer, "true,false,500");
  assert.match(warning, /^TOKENWEIR_WASM no native build loads on .+, WebAssembly is used instead$/);
  assert.deepEqual(more, []);
});

test("a runtime that compiles what is imported gets the module itself", () => {
  const root = project("workerd", ["tokenweir-wasm"], { type: "module" }, {
    // What workerd does with a file of WebAssembly: its module is the default export.
    "hooks.js": `
      export async function load(url, context, next) {
        if (!url.endsWith(".wasm")) return next(url, context);
        return {
          format: "module",
          shortCircuit: true,
          source: \`import { readFileSync } from "node:fs";
            export default new WebAssembly.Module(readFileSync(new URL("\${url}")));\`,
        };
      }`,
    "register.js": `import { register } from "node:module"; register("./hooks.js", import.meta.url);`,
    "main.js": `
      WebAssembly.Module = new Proxy(WebAssembly.Module, {
        construct(target, [bytes]) {
          if (!(bytes instanceof Uint8Array && bytes.constructor.name === "Buffer")) throw new Error("compiled from bytes");
          return new target(bytes);
        },
      });
      const { Limiter, ManualClock } = await import("tokenweir-wasm");${use}
      console.log(import.meta.resolve("tokenweir-wasm").endsWith("/workerd/index.js"));`,
  });
  assert.equal(
    node(root, "--no-warnings", "--import", "./register.js", "--conditions=workerd", "main.js"),
    "true,false,500\ntrue",
  );
});
