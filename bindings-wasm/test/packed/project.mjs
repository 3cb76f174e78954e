// Empty projects that the packed packages are installed into.
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
export const repo = join(here, "../../..");
export const bin = (name) => join(repo, "bindings-wasm/node_modules", name);

const folder = mkdtempSync(join(tmpdir(), "tokenweir-packed-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in a folder; its output if it succeeds. */
export function run(cwd, command, ...args) {
  const env = { ...process.env };
  // What this process is tested by is none of theirs.
  for (const name of ["NODE_OPTIONS", "NODE_TEST_CONTEXT", "TOKENWEIR_PACKAGE"]) delete env[name];
  try {
    return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")}\n${error.stdout}\n${error.stderr}`);
  }
}

const packed = new Map();

/** The file that `npm pack` makes of a package. */
function pack(name) {
  if (!packed.has(name)) {
    const source = join(repo, { tokenweir: "bindings-node", "tokenweir-wasm": "bindings-wasm" }[name]);
    run(source, "npm", "pack", "--silent", "--pack-destination", folder);
    packed.set(name, join(folder, readdirSync(folder).find((file) => file.startsWith(`${name}-0`))));
  }
  return packed.get(name);
}

/** A project with these files into which packages are installed. */
export function project(name, packages, manifest, files) {
  const root = join(folder, name);
  mkdirSync(root);
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "project", private: true, ...manifest }));
  run(root, "npm", "install", "--silent", "--no-audit", "--no-fund", ...packages.map(pack));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
  return root;
}
