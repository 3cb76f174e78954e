// The package under test: this one, or the one that the environment names.
export const api = await import(process.env.TOKENWEIR_PACKAGE ?? "tokenweir-wasm");
