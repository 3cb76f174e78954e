// The API of the demo: two plans, chosen by the key, and a search that costs more than a greeting.
import { KeyedLimiter } from "tokenweir";
import { apiKey, rateLimit } from "tokenweir/express";
import express from "express";

/** Whose keys there are, and the plan of each. */
const KEYS = new Map([
  ["free-anna", "free"],
  ["pro-omar", "pro"],
]);

const RIVERS = [
  "Danube",
  "Ebro",
  "Elbe",
  "Loire",
  "Oder",
  "Po",
  "Rhine",
  "Rhône",
  "Seine",
  "Tagus",
  "Thames",
  "Weser",
];

/** The routes, with limits of their own. */
export function api() {
  const routes = express.Router();

  // Who has no key is turned away before anything is counted.
  routes.use((request, response, next) => {
    if (KEYS.has(request.get("X-API-Key"))) next();
    else problem(response, 401, "a known X-API-Key is needed");
  });

  routes.use(
    rateLimit({
      plans: {
        free: new KeyedLimiter("burst: 10/s; hourly: 100/h"),
        pro: new KeyedLimiter("burst: 50/s; hourly: 5000/h"),
      },
      key: apiKey(),
      plan: (request) => KEYS.get(request.get("X-API-Key")),
      cost: (request) => (request.path === "/search" ? 5 : 1),
    }),
  );

  routes.get("/hello", (request, response) => {
    response.json({ hello: request.get("X-API-Key"), plan: KEYS.get(request.get("X-API-Key")) });
  });

  routes.get("/search", (request, response) => {
    const asked = String(request.query.q ?? "").toLowerCase();
    response.json({ found: RIVERS.filter((river) => river.toLowerCase().includes(asked)) });
  });

  routes.use((_request, response) => problem(response, 404, "there is /hello and /search?q="));
  return routes;
}

function problem(response, status, detail) {
  response.status(status).type("application/problem+json").send(JSON.stringify({ status, detail }));
}
