/** Middleware for Hono, on every runtime. */
import type { Context, Env, MiddlewareHandler } from "hono";
import type { GetConnInfo } from "hono/conninfo";
import { gate } from "../gate.js";
import type { RequestView } from "../keys.js";
import type { RateLimitOptions } from "../options.js";

export * from "../shared.js";

/** How the middleware limits. */
export interface HonoRateLimitOptions<E extends Env = Env> extends RateLimitOptions<Context<E>> {
  /** Tells who is connected: `getConnInfo` of the adapter of the runtime. On Node it need not be given. */
  connInfo?: GetConnInfo;
}

/**
 * Limits the requests that pass it.
 *
 * ```ts
 * app.use(rateLimit({ limiter: new KeyedLimiter("10/s; 1000/h") }));
 * ```
 *
 * What keeps a limiter from deciding is thrown, and answered by 503 unless the application handles it.
 */
export function rateLimit<E extends Env = Env>(options: HonoRateLimitOptions<E>): MiddlewareHandler<E> {
  const decide = gate<Context<E>>(options);
  return async (context, next) => {
    const { fields, refusal } = await decide(context, viewOf(context, options.connInfo)).catch(answered);
    if (refusal === undefined) {
      await next();
      // What the application says itself stays.
      const { headers } = context.res;
      for (const [name, value] of fields) if (!headers.has(name)) context.header(name, value);
      return;
    }
    for (const [name, value] of fields) context.header(name, value);
    return context.body(refusal.body, refusal.status, { "Content-Type": refusal.type });
  };
}

/** Has the error of an outage say what Hono answers, as its own exceptions do. */
function answered(error: { status?: number; getResponse?: () => Response }): never {
  if (error?.status === 503) error.getResponse ??= () => new Response("Service Unavailable", { status: 503 });
  throw error;
}

const viewOf = <E extends Env>(context: Context<E>, connInfo: GetConnInfo | undefined): RequestView => ({
  carrier: context,
  peer: () => connInfo?.(context as Context).remote.address ?? peerOnNode(context),
  lines: (name) => context.req.header(name),
});

function peerOnNode(context: { env: unknown }): string {
  const env = context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  if (env?.incoming?.socket === undefined) {
    throw new TypeError("connInfo: expected getConnInfo of the adapter of this runtime, to tell clients apart");
  }
  return env.incoming.socket.remoteAddress ?? "";
}
