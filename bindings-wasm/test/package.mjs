// The package under test: this one, or the entries in the folder that the environment names.
const folder = process.env.TOKENWEIR_PACKAGE;
const entry = (name) =>
  import(folder === undefined ? ["tokenweir-wasm", ...(name === "index" ? [] : [name])].join("/") : `${folder}/${name}.js`);

/** All of it: the limiters, and what the other entries have by their names. */
export const api = {
  ...(await entry("index")),
  ...(await entry("backoff")),
  http: await entry("http"),
  stored: await entry("stored"),
};

/** What is for a framework, or for calls that go out. */
export const web = (name) => import(folder === undefined ? `tokenweir-wasm/${name}` : `${folder}/../${name}.js`);

/** The package that is not under test. */
export const other = () =>
  import(folder?.includes("bindings-node") ? "tokenweir-wasm" : "../../bindings-node/dist/node/index.js");
