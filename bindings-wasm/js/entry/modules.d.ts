/** A module of `pkg/`, inside the file or beside it: see `bundle.mjs`. */
declare module "#module/*" {
  export const module: () => WebAssembly.Module;
}
