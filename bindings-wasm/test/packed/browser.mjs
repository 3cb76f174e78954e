// A browser, and what serves it files.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { chromium } from "playwright-core";

const BROWSERS = ["chromium", "google-chrome", "chromium-browser"].map((name) => `/usr/bin/${name}`);

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** A browser without a window. */
export const launch = () =>
  chromium.launch({
    executablePath: BROWSERS.find((path) => existsSync(path)),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });

/** A server of the files that a path stands for. */
export async function serve(fileOf) {
  const server = createServer((request, response) => {
    const file = fileOf(new URL(request.url, "http://localhost").pathname);
    const isThere = existsSync(file) && statSync(file).isFile();
    response.statusCode = isThere ? 200 : 404;
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    response.end(isThere ? readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
