// Builds the playground into dist/: a page with its own files only, for any folder of any server.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  base: "./",
  logLevel: "warn",
  // The sample is copied as it is.
  assetsInclude: ["**/*.log"],
  worker: { format: "es" },
  build: {
    target: "es2022",
    // What is inlined would be a data: address, which the page's own policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
