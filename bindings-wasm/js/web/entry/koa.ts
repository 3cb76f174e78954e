/** Middleware for Koa. */
import type { Context, Middleware } from "koa";
import { gate } from "../gate.js";
import type { RequestView } from "../keys.js";
import type { RateLimitOptions } from "../options.js";

export * from "../shared.js";

/**
 * Limits the requests that pass it.
 *
 * ```ts
 * app.use(rateLimit({ limiter: new KeyedLimiter("10/s; 1000/h") }));
 * ```
 *
 * What keeps a limiter from deciding is thrown, as an error of status 503.
 */
export function rateLimit(options: RateLimitOptions<Context>): Middleware {
  const decide = gate(options);
  return async (context, next) => {
    const { fields, refusal } = await decide(context, viewOf(context));
    const headers = Object.fromEntries(fields);
    context.set(headers);
    if (refusal !== undefined) {
      context.status = refusal.status;
      context.set("Content-Type", refusal.type);
      context.body = refusal.body;
      return;
    }
    try {
      await next();
    } catch (error) {
      // The reply to an error has its own headers only.
      if (error instanceof Error) keep(error, headers);
      throw error;
    }
  };
}

function keep(error: Error & { headers?: Record<string, string> }, headers: Record<string, string>): void {
  error.headers = { ...headers, ...error.headers };
}

const viewOf = (context: Context): RequestView => ({
  carrier: context,
  peer: () => context.req.socket.remoteAddress ?? "",
  lines: (name) => context.req.headers[name],
});
