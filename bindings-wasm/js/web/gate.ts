/** Limiting requests, whatever the framework: an adapter describes a request, and sends what is said here. */
import * as http from "../http.js";
import type { RequestView } from "./keys.js";
import { decide } from "./limiters.js";
import { type RateLimitOptions, type Refusal, type ScopeAsked, scopesOf } from "./options.js";

/** What becomes of a request. */
export interface Verdict {
  /** The fields of the reply, each once; they replace others of their name. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** What to answer; `undefined` if the request is served. */
  readonly refusal: { readonly status: 429; readonly type: string; readonly body: string } | undefined;
}

/** Decides on a request. */
export type Gate<R> = (request: R, view: RequestView) => Promise<Verdict>;

const PASSED: Verdict = { fields: [], refusal: undefined };

/** What has been decided on a request so far, also by other gates and of another package. */
interface History {
  /** Who has decided already. */
  readonly gates: Set<object>;
  /** How the limits of each limiter stand. */
  readonly standing: Map<object, readonly http.Quota[]>;
}
const HISTORY = Symbol.for("tokenweir.history");

function historyOf(carrier: object): History {
  const held = carrier as { [HISTORY]?: History };
  return (held[HISTORY] ??= { gates: new Set(), standing: new Map() });
}

/** A gate of these options, which are checked at once. */
export function gate<R>(options: RateLimitOptions<R>): Gate<R> {
  const { headers = "draft", dryRun = false, skip, onRefused, detail } = options;
  const scopes = scopesOf(options);
  // A style that there is not is an error now.
  http.fields(headers, []);
  const id = {};

  return async (request, view) => {
    const { gates, standing } = historyOf(view.carrier);
    // Installed twice, it counts once.
    if (gates.has(id)) return PASSED;
    gates.add(id);
    if (await skip?.(request)) return PASSED;

    const asked: ScopeAsked[] = [];
    for (const scope of scopes) asked.push(await scope(request, view));
    const decided = await decide(asked).catch((error: { code?: string }) => {
      // Where there is no room to count somebody, nobody is refused for trying a limit out.
      if (dryRun && error?.code === "too_many_keys") return undefined;
      throw error;
    });
    if (decided === undefined) return PASSED;
    asked.forEach(({ limiter }, index) => {
      const quotas = decided.quotas[index] ?? [];
      standing.set(limiter, dryRun ? quotas.map(served) : quotas);
    });
    const known = [...standing.values()].flat();
    const verdict: Verdict = { fields: known.length === 0 ? [] : http.fields(headers, known), refusal: undefined };
    if (decided.allowed || decided.decision === undefined) return verdict;

    const { scope, key, plan, cost } = asked[decided.subject]!;
    const refusal: Refusal = { decision: decided.decision, scope, key, plan, cost, isDryRun: dryRun };
    await onRefused?.(request, refusal);
    if (dryRun) return verdict;
    const said = typeof detail === "function" ? detail(refusal) : detail;
    const body = http.problem(decided.quotas.flat(), said);
    return { ...verdict, refusal: { status: http.TOO_MANY_REQUESTS, type: http.PROBLEM_MEDIA_TYPE, body } };
  };
}

/** A quota of a request that is served: it says what is left, and asks nobody to come back later. */
const served = (quota: http.Quota): http.Quota => ({ ...quota, retryAfter: 0 });
