// Builds the package into dist/: the module, JavaScript for each kind of user, types.
//
//   node build.mjs           as it is published
//   node build.mjs --quick   without the time that the last few bytes take
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, handOn, licences, types, web } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const quick = process.argv.includes("--quick");

// What Node 20 and browsers of 2023 can run.
const FEATURES = [
  "bulk-memory",
  "sign-ext",
  "mutable-globals",
  "nontrapping-float-to-int",
  "multivalue",
  "reference-types",
];

function run(command, ...args) {
  execFileSync(command, args, { cwd: here, stdio: ["ignore", "inherit", "inherit"] });
}

run("./compile.sh", ...(quick ? ["--quick"] : []));
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "cjs"), { recursive: true });
for (const [source, module] of [
  ["engine_bg.wasm", "engine.wasm"],
  ["slim.wasm", "slim.wasm"],
]) {
  run(
    process.execPath,
    "node_modules/binaryen/bin/wasm-opt",
    ...(quick ? ["-O1"] : ["-Oz", "--converge"]),
    ...FEATURES.map((feature) => `--enable-${feature}`),
    ...["--strip-debug", "--strip-producers", "--strip-target-features"],
    join("pkg", source),
    "-o",
    join("dist", module),
  );
}
const entry = (name) => join(here, "js/entry", name);
await bundle(entry("inline.ts"), join(dist, "index.js"));
await bundle(entry("inline.ts"), join(dist, "cjs/index.js"), { format: "cjs" });
await bundle(entry("workerd.ts"), join(dist, "workerd.js"));
await bundle(entry("slim.ts"), join(dist, "slim.js"));
await bundle(entry("slim.ts"), join(dist, "cjs/slim.js"), { format: "cjs" });
handOn("./cjs/index.js", join(dist, "node.js"), join(here, "js/index.ts"));
await web("tokenweir-wasm", dist);
types(here);
licences(here);
