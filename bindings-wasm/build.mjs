// Builds the package into dist/: the module, JavaScript for each kind of user, types.
//
//   node build.mjs           as it is published
//   node build.mjs --quick   without the time that the last few bytes take
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENTRIES, bundle, handOn, licences, types, web } from "./bundle.mjs";

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
for (const module of ["engine", ...ENTRIES, "slim"]) {
  run(
    process.execPath,
    "node_modules/binaryen/bin/wasm-opt",
    ...(quick ? ["-O1"] : ["-Oz", "--converge"]),
    ...FEATURES.map((feature) => `--enable-${feature}`),
    ...["--strip-debug", "--strip-producers", "--strip-target-features"],
    join("pkg", `${module}.wasm`),
    "-o",
    join("dist", `${module}.wasm`),
  );
}
const source = (name) => join(here, `js/entry/${name}.ts`);
const entries = [["index", join(here, "js/index.ts")], ...ENTRIES.map((name) => [name, source(name)])];
await bundle(Object.fromEntries(entries), dist);
await bundle(Object.fromEntries(entries), join(dist, "workerd"), { inside: false });
await bundle([source("all"), source("slim")], join(dist, "cjs"), { format: "cjs" });
await bundle([source("slim")], dist);
handOn(dist, "node");
await web("tokenweir-wasm", dist);
types(here);
licences(here);
