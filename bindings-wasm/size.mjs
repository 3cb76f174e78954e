// How large the package is in a bundle: minified and compressed, in bytes. Fails above the limits, so that it
// does not grow unseen.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

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

const entry = async (name, module, most) => [
  [name, await script(`${module === "engine" ? "index" : module}.js`), most],
  ["  of which JavaScript", await script(`workerd/${module === "engine" ? "index" : module}.js`)],
  ["  of which the module by itself", gzip(readFileSync(join(dist, `${module}.wasm`)))],
];
const rows = [
  ...(await entry("tokenweir-wasm, the module inside", "engine", 45_000)),
  ...(await entry("tokenweir-wasm/http", "http", 32_000)),
  ...(await entry("tokenweir-wasm/backoff", "backoff", 13_000)),
  ...(await entry("tokenweir-wasm/stored", "stored", 46_000)),
  ["tokenweir-wasm/slim with its module", (await script("slim.js")) + gzip(readFileSync(join(dist, "slim.wasm"))), 6_000],
];
for (const [name, bytes, most] of rows) {
  const limit = most === undefined ? "" : `  (at most ${most})`;
  console.log(`${String(bytes).padStart(7)}  ${name}${limit}`);
  if (bytes > most) {
    console.error(`size: ${name} is too large`);
    process.exitCode = 1;
  }
}
