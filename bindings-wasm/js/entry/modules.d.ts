/** A module of `pkg/`, inside the file or beside it: see `bundle.mjs`. */
declare module "#module/*" {
  export const module: () => WebAssembly.Module;
}

/** What starts the compiled core of limiters: `core.ts`, or what loads the native build. */
declare module "#core" {
  export const load: () => import("../engine.js").Engine;
}
