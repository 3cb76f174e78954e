/** The limiters that a service can be limited by: those of either package, and those of a store. */
import * as http from "../http.js";
import { type AcquireOptions, type Amount, type Decision, type JointDecision, type LimitInfo, type Standing, type Time, TokenweirError } from "../index.js";

/** A value, or a promise of one. */
export type Eventual<T> = T | PromiseLike<T>;

/** A decision that a limiter in a store made without it. It has no numbers to tell. */
export interface Degraded {
  readonly degraded: true;
  readonly allowed: boolean;
  /** Why the store did not decide. */
  readonly cause?: unknown;
}

/** A decision, with a store or without. */
export type AnyDecision = (Decision & { readonly degraded?: false }) | Degraded;

/** A decision of several: by the one that decided, or by what each said. */
export type AnyJointDecision =
  | (JointDecision & { readonly degraded?: false })
  | { readonly degraded?: false; readonly allowed: boolean; readonly decisions: readonly Decision[] }
  | Degraded;

/** What is asked of a limiter that can be asked together with others, as `limiter.demand()` gives it. */
export interface DemandLike {
  checkAll(demands: readonly DemandLike[], now?: Time): Eventual<AnyJointDecision>;
  /** How each limit stands after a decision; absent where that is not known here. */
  standing?(decision: Decision, decided: boolean, now?: Time): Standing[];
}

/** Limits, as far as they are announced. */
export interface Announced {
  readonly names: readonly string[];
  describe(): readonly LimitInfo[];
}

interface Common {
  /** What is announced; only the limit that decides is if this is absent. */
  readonly limits?: Announced;
  readonly clock?: { now(): Time };
}

/** A limiter without keys: a `Limiter` of either package. */
export interface LimiterLike extends Common {
  readonly isKeyed: false;
  check(cost?: Amount, now?: Time): Eventual<AnyDecision>;
  demand?(cost?: Amount): object;
  acquire?(cost?: Amount, options?: AcquireOptions): PromiseLike<unknown>;
  refund?(cost?: Amount): Eventual<unknown>;
}

/** A limiter for many keys: a `KeyedLimiter` of either package, or one whose limits are in a store, which
 * answers later. */
export interface KeyedLimiterLike extends Common {
  readonly isKeyed?: true;
  check(key: string, cost?: Amount, now?: Time): Eventual<AnyDecision>;
  demand?(key: string, cost?: Amount): object;
  acquire?(key: string, cost?: Amount, options?: AcquireOptions): PromiseLike<unknown>;
  refund?(key: string, cost?: Amount): Eventual<unknown>;
}

/** Whatever a request can be limited by. */
export type AnyLimiter = LimiterLike | KeyedLimiterLike;

/** A limiter, and what a request asks of it. */
export interface Asked {
  /** What its limits are called after; empty for nothing. */
  readonly scope: string;
  readonly limiter: AnyLimiter;
  readonly key: string;
  readonly cost: Amount;
}

/** What was decided, and how each limit stands. */
export interface Decided {
  readonly allowed: boolean;
  /** The decision that counts, unless none was made. */
  readonly decision: Decision | undefined;
  /** Which of those that were asked made it. */
  readonly subject: number;
  /** The quotas of each that was asked; none of a decision that was made without knowing them. */
  readonly quotas: readonly (readonly http.Quota[])[];
}

/** One decision over all that are asked: all grant or none pays. */
export async function decide(asked: readonly Asked[]): Promise<Decided> {
  const now = asked[0]!.limiter.clock?.now();
  const demands = asked.map(demandOf);
  try {
    const answer = asked.length > 1 ? demands[0]!.checkAll!(demands as DemandLike[], now) : check(asked[0]!, now);
    // What is known at once is told of before anybody else is served.
    const made = "then" in answer ? await answer : answer;
    if (made.degraded === true) {
      if (made.allowed) return { allowed: true, decision: undefined, subject: 0, quotas: [] };
      throw made.cause ?? new TokenweirError("store_unavailable", "the store of the limits does not answer");
    }
    if ("decisions" in made) return ofEach(asked, made.decisions, made.allowed);
    const subject = (made as Partial<JointDecision>).subject ?? 0;
    const quotas = demands.map((demand, index) => {
      const { scope, limiter } = asked[index]!;
      const standing = demand?.standing?.(made, index === subject, now);
      const known = limiter.limits && policies(limiter.limits, scope);
      if (standing !== undefined && known !== undefined) {
        return known.map((policy, place) => ({ policy, ...standing[place]! }));
      }
      return index === subject ? [quotaOf(limiter, made, scope)] : [];
    });
    return { allowed: made.allowed, decision: made, subject, quotas };
  } catch (error) {
    throw unavailable(error);
  }
}

/** What each said of those that were asked; of a refusal the one with the longest wait counts, as of one
 * limiter's limits. */
function ofEach(asked: readonly Asked[], decisions: readonly Decision[], allowed: boolean): Decided {
  const waits = decisions.map((decision) => (decision.allowed ? 0 : decision.retryAfterMs));
  const subject = waits.indexOf(Math.max(...waits));
  const quotas = decisions.map((decision, index) => [quotaOf(asked[index]!.limiter, decision, asked[index]!.scope)]);
  return { allowed, decision: decisions[subject]!, subject, quotas };
}

function check({ limiter, key, cost }: Asked, now: Time | undefined): Eventual<AnyDecision> {
  return limiter.isKeyed === false ? limiter.check(cost, now) : limiter.check(key, cost, now);
}

/** What is asked of a limiter. */
export function demandOf({ limiter, key, cost }: Omit<Asked, "scope">): Partial<DemandLike> | undefined {
  return limiter.isKeyed === false ? limiter.demand?.(cost) : limiter.demand?.(key, cost);
}

/** How the limit that decided stands, of a limiter that tells no more than its decision. */
function quotaOf(limiter: AnyLimiter, decision: Decision, scope: string): http.Quota {
  const { limits } = limiter;
  const policy = limits && policies(limits, scope)[limits.names.indexOf(decision.scope)];
  const name = scope === "" ? decision.scope : `${scope} ${decision.scope}`;
  return {
    policy: policy ?? { name, quota: decision.limit },
    remaining: decision.remaining,
    reset: decision.resetAfterMs,
    retryAfter: decision.retryAfterMs,
  };
}

const announced = new WeakMap<Announced, Map<string, http.Policy[]>>();

/** What limits of either package announce; always the same for the same limits. */
function policies(limits: Announced, scope: string): http.Policy[] {
  const scopes = announced.get(limits) ?? new Map<string, http.Policy[]>();
  announced.set(limits, scopes);
  const known = scopes.get(scope) ?? http.policies(limits, scope);
  scopes.set(scope, known);
  return known;
}

/** Checks that what a limiter has can be announced. */
export function checkAnnounced(limiter: AnyLimiter, scope: string): void {
  if (limiter.limits !== undefined) policies(limiter.limits, scope);
}

/** Marks what kept a limiter from deciding as an outage, for the error handling of frameworks: it is no
 * refusal, and not the fault of whoever asks. */
function unavailable(error: unknown): unknown {
  const isMisuse = error instanceof RangeError || error instanceof TypeError;
  if (error instanceof Error && !isMisuse) Object.assign(error, { status: 503, statusCode: 503, expose: false });
  return error;
}
