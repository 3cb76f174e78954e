// Bundling, for both JavaScript packages.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/** The module as the text of a string: a character for each byte, which is shorter than base64 when
 * compressed. They are shifted so that most take one byte in UTF-8; of those that would take an escape, another
 * with the same lowest bits stands in. */
function literal(bytes) {
  const character = (byte) => String.fromCharCode((byte + SHIFT) & 0xff);
  const safe = (text) => (/[\0-\x1f"\\\x7f]/.test(text) ? String.fromCharCode(text.charCodeAt(0) + 0x100) : text);
  return `"${Array.from(bytes, (byte) => safe(character(byte))).join("")}"`;
}

/** As in `js/entry/start.ts`. */
const SHIFT = 36;

/** Resolves the names of modules, each of which is inside the file or beside it, and of what starts the
 * core. */
const modules = (inside, core) => ({
  name: "modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#module\// }, ({ path }) => ({ path: path.replace("#module/", ""), namespace: "module" }));
    onResolve({ filter: /^#core$/ }, () => ({ path: core }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: "module" }, ({ path }) => ({
      resolveDir: join(here, "js/entry"),
      contents: inside
        ? `import { moduleOf } from "./start.js";
           export const module = () => moduleOf(${literal(readFileSync(join(here, "dist", `${path}.wasm`)))});`
        : `import it from "../${path}.wasm"; export const module = () => it;`,
    }));
  },
});

/** Bundles entries; of ES modules, what they share is in files of its own. */
export async function bundle(entryPoints, outdir, { inside = true, core = join(here, "js/entry/core.ts"), ...options } = {}) {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    format: "esm",
    splitting: options.format === undefined,
    chunkNames: "shared-[hash]",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    plugins: [modules(inside, core)],
    logLevel: "warning",
    ...options,
  });
}

/** Takes the other entries of the package from where they are: by a name, or in a folder. */
const others = (of) => ({
  name: "others",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(\.\.\/)?(index|http|backoff|stored)\.js$/ }, ({ path }) => ({
      path: of(path.replace(/^.*\/(.*)\.js$/, "$1")),
      external: true,
    }));
  },
});
const itself = (name) => others((entry) => (entry === "index" ? name : `${name}/${entry}`));
const inFolder = (folder) => others((entry) => `${folder}/${entry}.js`);

/** What limits processes together, by a store: entries of Node. */
const STORES = { store: "store/index", redis: "store/redis", postgres: "store/postgres" };

export async function stores(dist) {
  await bundle({ stores: join(here, "js/store/all.ts") }, join(dist, "cjs"), {
    format: "cjs",
    platform: "node",
    external: ["opossum"],
    loader: { ".lua": "text", ".sql": "text" },
    plugins: [inFolder(".")],
  });
  handOn(dist, "node", "stores", STORES);
}

/** What limits requests: an entry for each framework and one for calls that go out. */
const WEB = readdirSync(join(here, "js/web/entry")).map((file) => join(here, "js/web/entry", file));

export async function web(name, dist) {
  await bundle(WEB, dist, { plugins: [itself(name)] });
  await bundle(WEB, join(dist, "cjs"), { format: "cjs", plugins: [inFolder(".")] });
}

/** The entries beside the one of limiters. */
export const ENTRIES = ["http", "backoff", "stored"];

/** The values that a source exports. */
function names(source) {
  const found = readFileSync(source, "utf8").matchAll(/^export (?:\{([^}]*)\}|(?:function|class|const) (\w+))/gm);
  return [...found]
    .flatMap((match) => (match[1] ?? match[2]).split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/** Writes the entries of Node, each as CommonJS and as a module: all are parts of one file, so that `import`
 * and `require` share one copy. An entry has its source, from `js` on. */
export function handOn(dist, folder, all = "all", entries = Object.fromEntries(["index", ...ENTRIES].map((entry) => [entry, entry]))) {
  mkdirSync(join(dist, folder), { recursive: true });
  for (const [entry, source] of Object.entries(entries)) {
    writeFileSync(join(dist, `cjs/${entry}.js`), `module.exports = require("./${all}.js").${entry};\n`);
    const list = names(join(here, `js/${source}.ts`)).join(", ");
    writeFileSync(
      join(dist, folder, `${entry}.js`),
      `import api from "../cjs/${entry}.js";\nexport const { ${list} } = api;\n`,
    );
  }
}

/** Puts the licences beside the package, where they are packed. */
export function licences(folder) {
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(here, "..", file), join(folder, file));
}

/** Checks the sources of a package and writes its types, once for each kind of module. */
export function types(folder) {
  const tsc = join(here, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
  cpSync(join(folder, "dist/types"), join(folder, "dist/cjs"), { recursive: true });
  writeFileSync(join(folder, "dist/cjs/package.json"), '{ "type": "commonjs" }\n');
}
