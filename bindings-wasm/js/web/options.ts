/** What a service is limited by, and what becomes of it for one request. */
import * as http from "../http.js";
import type { Amount, Decision } from "../index.js";
import { type Key, type RequestView, clientAddress } from "./keys.js";
import { type AnyLimiter, type Asked, type Eventual, checkAnnounced, demandOf } from "./limiters.js";

/** A limiter, or one for each plan, and what requests ask of it. */
export interface Scope<R> {
  /** What the limits are called after in the fields, to tell those of several scopes apart. */
  name?: string;
  /** The limiter. A `Limiter` is one for all requests, a `KeyedLimiter` has a limit for each key. */
  limiter?: AnyLimiter;
  /** Instead of one limiter, one for each plan. */
  plans?: Readonly<Record<string, AnyLimiter>>;
  /** Which plan a request is under. A plan that is not there is an error. */
  plan?: (request: R, key: string) => Eventual<string>;
  /** Whose a request is: by the first of these that can tell, or else by the address of the
   * connection. */
  key?: Key<R> | readonly Key<R>[];
  /** What a request costs: a whole number from 1, which it is unless given. */
  cost?: Amount | ((request: R) => Eventual<Amount>);
}

/** What was refused, and to whom. */
export interface Refusal {
  /** The numbers of the limit that decided. */
  readonly decision: Decision;
  /** The scope that decided, if it has a name. */
  readonly scope: string;
  /** Whose request it is. */
  readonly key: string;
  readonly plan: string | undefined;
  readonly cost: Amount;
  /** Whether the request is served all the same. */
  readonly isDryRun: boolean;
}

/** How a service is limited. */
export interface RateLimitOptions<R> extends Scope<R> {
  /** Several scopes at once, such as those of a user and of the whole service: all grant or none pays. The
   * key, the cost and the plan given beside them hold for those that have none of their own. */
  scopes?: readonly Scope<R>[];
  /** Which fields a reply has; those of the current draft unless given. */
  headers?: http.Style;
  /** Whether to count, tell and refuse nothing. */
  dryRun?: boolean;
  /** Whether a request is not counted. */
  skip?: (request: R) => Eventual<boolean>;
  /** Is told of what is refused, before the reply. */
  onRefused?: (request: R, refusal: Refusal) => Eventual<void>;
  /** What the body of a refusal says to a human. */
  detail?: string | ((refusal: Refusal) => string);
}

/** What one request asks of one scope. */
export interface ScopeAsked extends Asked {
  readonly plan: string | undefined;
}

/** Whom one request asks, in one scope. */
export type Asking<R> = (request: R, view: RequestView) => Promise<ScopeAsked>;

/** The scopes of some options, checked. */
export function scopesOf<R>(options: RateLimitOptions<R>): Asking<R>[] {
  const { scopes, limiter, plans, plan, key, cost } = options;
  if (scopes === undefined) return [asking(options, "limiter")];
  if (limiter !== undefined || plans !== undefined) {
    throw misuse("scopes", "a limiter or plans are given beside them");
  }
  if (!Array.isArray(scopes) || scopes.length === 0) throw misuse("scopes", "expected an array of at least one");
  if (scopes.length > 1) checkTogether(scopes);
  const shared = { ...(plan && { plan }), ...(key && { key }), ...(cost !== undefined && { cost }) };
  return scopes.map((scope: Scope<R>, index) => {
    // A plan is of those who have plans.
    const given = { ...shared, ...scope };
    if (scope.plans === undefined && scope.plan === undefined) delete given.plan;
    return asking(given, `scopes[${index}]`);
  });
}

/** Checks that limiters can decide together. */
function checkTogether<R>(scopes: readonly Scope<R>[]): void {
  const all = scopes.flatMap((scope, index) => limitersOf(scope, `scopes[${index}]`));
  const demands = all.map((one) => demandOf({ limiter: one, key: "-", cost: 1 }));
  if (demands.some((demand) => demand?.checkAll === undefined)) {
    throw misuse("scopes", "one of the limiters decides by itself, not with others");
  }
  if (new Set(demands.map((demand) => demand!.constructor)).size > 1) throw misuse("scopes", "limiters of different packages do not decide together");
  if (new Set(all.map((one) => one.clock)).size > 1) {
    throw misuse("scopes", "the limiters read different clocks, give them one");
  }
}

function limitersOf<R>({ limiter, plans }: Scope<R>, argument: string): AnyLimiter[] {
  if ((limiter === undefined) === (plans === undefined)) {
    throw misuse(argument, "expected either a limiter or plans");
  }
  const limiters = limiter === undefined ? Object.values(plans!) : [limiter];
  for (const one of limiters) {
    if (typeof (one as AnyLimiter | null)?.check !== "function") throw misuse(argument, "expected a limiter");
  }
  return limiters;
}

function asking<R>(scope: Scope<R>, argument: string): Asking<R> {
  const { name = "", limiter, plans, plan, key = [], cost = 1 } = scope;
  const limiters = limitersOf(scope, argument);
  for (const one of limiters) checkAnnounced(one, name);
  if ((plans === undefined) !== (plan === undefined)) throw misuse("plan", "it is given with plans, and only then");
  const isKeyed = limiters.some((one) => one.isKeyed !== false);
  const keys = [...(typeof key === "function" ? [key] : key), clientAddress()];
  return async (request, view) => {
    const own = isKeyed || plan !== undefined ? await keyOf(keys, request, view) : "";
    const chosen = await plan?.(request, own);
    return {
      scope: name,
      limiter: limiter ?? planned(plans!, chosen!),
      key: own,
      plan: chosen,
      cost: typeof cost === "function" ? await cost(request) : cost,
    };
  };
}

async function keyOf<R>(keys: readonly Key<R>[], request: R, view: RequestView): Promise<string> {
  for (const key of keys) {
    const found = await key(request, view);
    if (found !== undefined) return found;
  }
  return "";
}

function planned(plans: Readonly<Record<string, AnyLimiter>>, plan: string): AnyLimiter {
  if (Object.hasOwn(plans, plan)) return plans[plan]!;
  const message = `plan: there is no plan "${plan}", only ${Object.keys(plans).join(", ")}`;
  throw Object.assign(new RangeError(message), { code: "unknown_plan" });
}

function misuse(argument: string, message: string): TypeError {
  return Object.assign(new TypeError(`${argument}: ${message}`), { code: "wrong_type" });
}
