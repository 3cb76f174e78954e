/** A plugin for Fastify. */
import type { FastifyPluginAsync, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { gate } from "../gate.js";
import type { RequestView } from "../keys.js";
import type { RateLimitOptions, Scope } from "../options.js";

export * from "../shared.js";

/** What a route may say of how it is limited, as `config.tokenweir`. */
export type RouteLimit = Pick<Scope<FastifyRequest>, "cost">;

declare module "fastify" {
  interface FastifyContextConfig {
    /** How requests of this route are limited; `false` for not at all. */
    tokenweir?: RouteLimit | false;
  }
}

/** When in the life of a request it is counted. */
export type Stage = "onRequest" | "preParsing" | "preValidation" | "preHandler";

/** How the plugin limits. */
export interface FastifyRateLimitOptions extends RateLimitOptions<FastifyRequest> {
  /** When a request is counted; as soon as it comes in unless given. Later, more is known of it. */
  stage?: Stage;
}

/**
 * Limits all routes of where it is registered that are declared after it.
 *
 * ```ts
 * await app.register(rateLimit, { limiter: new KeyedLimiter("10/s; 1000/h") });
 * app.get("/search", { config: { tokenweir: { cost: 5 } } }, search);
 * ```
 *
 * What keeps a limiter from deciding goes to the error handling of the application, as an error of status
 * 503.
 */
export const rateLimit: FastifyPluginAsync<FastifyRateLimitOptions> = async (app, { stage = "onRequest", ...options }) => {
  const { cost = 1, skip } = options;
  const hook = limitRoute({
    ...options,
    skip: (request) => request.routeOptions.config.tokenweir === false || (skip?.(request) ?? false),
    cost: (request) => {
      const route = request.routeOptions.config.tokenweir;
      const own = (route || undefined)?.cost ?? cost;
      return typeof own === "function" ? own(request) : own;
    },
  });
  // All stages are of functions that are called alike.
  app.addHook(stage as "onRequest", hook);
};

// It is for those around it as well, not for a context of its own.
Object.assign(rateLimit, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "tokenweir",
});

/** Limits one route, as a hook of it at any {@link Stage}: `app.get("/", { onRequest: limitRoute(options) }, …)`. */
export function limitRoute(options: RateLimitOptions<FastifyRequest>): onRequestAsyncHookHandler {
  const decide = gate(options);
  return async (request, reply) => {
    const { fields, refusal } = await decide(request, viewOf(request));
    // Somebody may have answered in the meantime.
    if (reply.sent) return reply;
    for (const [name, value] of fields) reply.header(name, value);
    if (refusal === undefined) return;
    return reply.code(refusal.status).header("content-type", refusal.type).send(refusal.body);
  };
}

const viewOf = (request: FastifyRequest): RequestView => ({
  carrier: request,
  peer: () => request.socket.remoteAddress ?? "",
  lines: (name) => request.headers[name],
});
