// The package under test: this one, or the one that the environment names.
export const api = await import(process.env.TOKENWEIR_PACKAGE ?? "tokenweir-wasm");

const NODE = "../../bindings-node/dist/index.js";
const isWasm = (process.env.TOKENWEIR_PACKAGE ?? "tokenweir-wasm") === "tokenweir-wasm";

/** An entry of the package under test beside the main one. */
export const subpath = (name) => import(isWasm ? `tokenweir-wasm/${name}` : NODE.replace("index", name));

/** The package that is not under test. */
export const other = () => import(isWasm ? NODE : "tokenweir-wasm");
