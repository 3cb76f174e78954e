// Bundling, for both JavaScript packages.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/** The module as the text of a string: a character for each byte, from the first printable one on, which
 * is shorter than base64 when compressed. */
function literal(bytes) {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte + 32)).join("");
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Resolves the names that stand for what was compiled. */
const compiled = {
  name: "compiled",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#glue$/ }, () => ({ path: join(here, "pkg/engine_bg.js") }));
    onResolve({ filter: /^#wasm$/ }, () => ({ path: "./engine.wasm", external: true }));
    onResolve({ filter: /^#module$/ }, () => ({ path: "module", namespace: "module" }));
    onLoad({ filter: /.*/, namespace: "module" }, () => ({
      contents: `export default ${literal(readFileSync(join(here, "dist/engine.wasm")))}`,
    }));
  },
};

/** Leaves the core to the package's main file, which is beside what is bundled. */
export const besideIndex = {
  name: "beside-index",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/index\.js$/ }, () => ({ path: "./index.js", external: true }));
  },
};

/** Writes a file that needs no other. */
export async function bundle(entry, outfile, options = {}) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    plugins: [compiled],
    logLevel: "warning",
    ...options,
  });
}

/** The values that an index exports. */
function names(index) {
  const lists = readFileSync(index, "utf8").matchAll(
    /export (?:\{([^}]*)\}|(?:\* as|class|const|(?:async )?function) (\w+))/g,
  );
  return [...lists]
    .flatMap((match) => (match[1] ?? match[2]).split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/** Writes a module that hands on what a CommonJS file exports, so that `import` and `require` share one
 * copy. */
export function handOn(commonjs, outfile, ...indexes) {
  const list = indexes.flatMap(names).join(", ");
  writeFileSync(outfile, `import api from "${commonjs}";\nexport const { ${list} } = api;\n`);
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
