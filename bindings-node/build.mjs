// Builds the package into dist/: the native build for this machine, JavaScript, types. The package
// tokenweir-wasm is built before it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, handOn, licences, stores, types, web } from "../bindings-wasm/bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

execFileSync(
  "cargo",
  [
    ["build", "--release", "-p", "tokenweir-node"],
    ["--config", 'profile.release.lto="fat"', "--config", "profile.release.codegen-units=1"],
    ["--target-dir", "target/node"],
  ].flat(),
  { cwd: dirname(here), stdio: "inherit" },
);
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "native"), { recursive: true });
const musl = process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
const libc = process.platform === "linux" ? (musl ? "-musl" : "-gnu") : "";
const library = { linux: "libtokenweir_node.so", darwin: "libtokenweir_node.dylib", win32: "tokenweir_node.dll" };
copyFileSync(
  join(dirname(here), "target/node/release", library[process.platform]),
  join(dist, "native", `${process.platform}-${process.arch}${libc}.node`),
);
const commonjs = { format: "cjs", platform: "node" };
await bundle([join(here, "js/all.ts")], join(dist, "cjs"), {
  ...commonjs,
  core: join(here, "js/native.ts"),
  external: ["./fallback.js"],
});
await bundle([join(here, "../bindings-wasm/js/entry/fallback.ts")], join(dist, "cjs"), commonjs);
handOn(dist, "node");
await stores(dist);
await web("tokenweir", dist);
types(here);
licences(here);
