/** Middleware for Express 4 and 5. */
import type { Request, RequestHandler } from "express";
import { gate } from "../gate.js";
import type { RequestView } from "../keys.js";
import type { RateLimitOptions } from "../options.js";

export * from "../shared.js";

/**
 * Limits the requests that pass it, of an application, a router or a route.
 *
 * ```ts
 * app.use(rateLimit({ limiter: new KeyedLimiter("10/s; 1000/h") }));
 * app.get("/search", rateLimit({ limiter: new KeyedLimiter("20/min"), cost: 5 }), search);
 * ```
 *
 * What keeps a limiter from deciding goes to the error handling of the application, as an error of status
 * 503.
 */
export function rateLimit(options: RateLimitOptions<Request>): RequestHandler {
  const decide = gate(options);
  return async (request, response, next) => {
    let verdict;
    try {
      verdict = await decide(request, viewOf(request));
    } catch (error) {
      next(error);
      return;
    }
    // Somebody may have answered in the meantime.
    if (response.headersSent) return;
    for (const [name, value] of verdict.fields) response.setHeader(name, value);
    if (verdict.refusal === undefined) {
      next();
      return;
    }
    const { status, type, body } = verdict.refusal;
    response.statusCode = status;
    response.setHeader("Content-Type", type);
    response.end(body);
  };
}

const viewOf = (request: Request): RequestView => ({
  carrier: request,
  peer: () => request.socket.remoteAddress ?? "",
  lines: (name) => request.headers[name],
});
