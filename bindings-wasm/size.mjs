// How large the package is in a bundle: minified and compressed, in bytes. Fails above the limits, so that it
// does not grow unseen.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
const module = (file) => gzip(readFileSync(join(dist, file)));

/** The JavaScript of an entry as a bundler makes it. */
async function script(file) {
  const { outputFiles } = await build({
    entryPoints: [join(dist, file)],
    bundle: true,
    minify: true,
    format: "esm",
    charset: "utf8",
    external: ["*.wasm"],
    write: false,
  });
  return gzip(outputFiles[0].contents);
}

const rows = [
  ["tokenweir-wasm, everything, the module inside", await script("index.js"), 90_000],
  ["  of which JavaScript", await script("workerd.js")],
  ["  of which the module by itself", module("engine.wasm")],
  ["tokenweir-wasm/slim with its module", (await script("slim.js")) + module("slim.wasm"), 6_000],
  ["  of which JavaScript", await script("slim.js")],
  ["  of which the module", module("slim.wasm")],
];
for (const [name, bytes, most] of rows) {
  const limit = most === undefined ? "" : `  (at most ${most})`;
  console.log(`${String(bytes).padStart(7)}  ${name}${limit}`);
  if (bytes > most) {
    console.error(`size: ${name} is too large`);
    process.exitCode = 1;
  }
}
