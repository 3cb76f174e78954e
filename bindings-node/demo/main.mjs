// The demo: the playground, and an API behind it. Serves until it is interrupted.
//
//   PORT=8080 node main.mjs
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import { api } from "./api.mjs";

const PAGE = join(dirname(fileURLToPath(import.meta.url)), "../../bindings-wasm/playground/dist");

function fail(message) {
  console.error(`demo: ${message}`);
  process.exit(1);
}

const port = Number(process.env.PORT || 4170);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  fail(`PORT is a whole number from 1 to 65535, or 0 for any that is free, not "${process.env.PORT}"`);
}

let page;
try {
  page = readFileSync(join(PAGE, "index.html"), "utf8");
} catch {
  fail("the playground is not built; run make demo, or make playground first");
}
// The page cannot know by itself whether there is an API behind it.
page = page.replace("</head>", '<meta name="tokenweir-api" content="api/" /></head>');

const app = express();
app.disable("x-powered-by");
app.use("/api", api());
app.get("/", (_request, response) => response.type("html").send(page));
app.use(express.static(PAGE, { index: false }));

const server = app.listen(port, "127.0.0.1", (error) => {
  if (error?.code === "EADDRINUSE") fail(`port ${port} is taken; choose another by PORT=8080 make demo`);
  if (error) fail(`cannot listen on port ${port}: ${error.message}`);
  console.log(`
  The demo is at   http://localhost:${server.address().port}/
  Its API is at    http://localhost:${server.address().port}/api/hello   (X-API-Key: free-anna or pro-omar)

  Ctrl-C stops it.`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    console.log("\n  Stopped.");
    server.close();
    // Browsers keep their connections open.
    server.closeAllConnections();
  });
}
