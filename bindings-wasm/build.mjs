// Builds the package into dist/: the module, JavaScript for each kind of user, types.
//
//   node build.mjs           as it is published
//   node build.mjs --quick   without the time that the last few bytes take
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const repo = dirname(here);
const pkg = join(here, "pkg");
const dist = join(here, "dist");
const quick = process.argv.includes("--quick");

// What Node 20 and browsers of 2023 can run.
const FEATURES = ["bulk-memory", "sign-ext", "mutable-globals", "nontrapping-float-to-int", "multivalue", "reference-types"];

function run(command, ...args) {
  execFileSync(command, args, { cwd: repo, stdio: ["ignore", "inherit", "inherit"] });
}

/** Compiles the module and has its JavaScript written. */
function compile() {
  run(join(here, "compile.sh"), ...(quick ? ["--quick"] : []));
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, "cjs"), { recursive: true });
  run(
    process.execPath,
    join(here, "node_modules/binaryen/bin/wasm-opt"),
    quick ? "-O1" : "-Oz",
    ...(quick ? [] : ["--converge"]),
    ...FEATURES.map((feature) => `--enable-${feature}`),
    join(pkg, "engine_bg.wasm"),
    "-o",
    join(dist, "engine.wasm"),
  );
}

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
    onResolve({ filter: /^#glue$/ }, () => ({ path: join(pkg, "engine_bg.js") }));
    onResolve({ filter: /^#wasm$/ }, () => ({ path: "./engine.wasm", external: true }));
    onResolve({ filter: /^#module$/ }, () => ({ path: "module", namespace: "module" }));
    onLoad({ filter: /.*/, namespace: "module" }, () => ({
      contents: `export default ${literal(readFileSync(join(dist, "engine.wasm")))}`,
    }));
  },
};

async function bundle(entry, outfile, options = {}) {
  await build({
    entryPoints: [join(here, "js/entry", entry)],
    outfile: join(dist, outfile),
    bundle: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    minify: true,
    keepNames: false,
    legalComments: "none",
    plugins: [compiled],
    logLevel: "warning",
    ...options,
  });
}

/** The names that the CommonJS build exports, for the module that hands them on. */
function names() {
  const source = readFileSync(join(here, "js/index.ts"), "utf8");
  const lists = [...source.matchAll(/export \{([^}]*)\}/g)].map((match) => match[1]);
  return lists
    .join(",")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

compile();
await bundle("inline.ts", "index.js");
await bundle("inline.ts", "cjs/index.js", { format: "cjs" });
await bundle("workerd.ts", "workerd.js");
// In Node, `import` and `require` share one copy.
writeFileSync(
  join(dist, "node.js"),
  `import api from "./cjs/index.js";\nexport const { ${names().join(", ")} } = api;\n`,
);
run(process.execPath, join(here, "node_modules/typescript/bin/tsc"), "-p", here);
cpSync(join(dist, "types"), join(dist, "cjs"), { recursive: true });
writeFileSync(join(dist, "cjs/package.json"), '{ "type": "commonjs" }\n');
