// A real browser, and a server of files, for the tests of pages.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

const BROWSERS = ["chromium", "google-chrome", "chromium-browser"].map((name) => `/usr/bin/${name}`);

const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Starts the browser. */
export const launch = () =>
  chromium.launch({
    executablePath: BROWSERS.find((path) => existsSync(path)),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });

/** Serves the files that `find` names for a path, on a free port; the server, listening. */
export async function serve(find) {
  const server = createServer((request, response) => {
    const file = find(new URL(request.url, "http://localhost").pathname);
    const isThere = existsSync(file) && statSync(file).isFile();
    response.statusCode = isThere ? 200 : 404;
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    response.end(isThere ? readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Serves a folder. */
export const serveFolder = (folder) => serve((path) => join(folder, path === "/" ? "index.html" : path));

/** Notes all that a page puts on its console, its errors, and the requests that leave its origin. */
export function watch(page, origin) {
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.stack));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) messages.push(`request to ${request.url()}`);
  });
  return messages;
}
