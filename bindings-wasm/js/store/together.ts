import { type Amount, type Decision, checkAll } from "../index.js";
import * as stored from "../stored.js";
import type { Entry } from "./entries.js";
import { StoreError, wrongType } from "./errors.js";
import type { StoredLimiter } from "./limiter.js";
import { type Attempt, type Values, nanos } from "./link.js";
import type { DegradedDecision } from "./policy.js";

/** A key of a limiter and what it is asked for, in a decision over several: see {@link checkTogether}. */
export class StoredDemand {
  /** @internal */
  constructor(
    readonly limiter: StoredLimiter,
    readonly key: string,
    readonly cost: Amount,
  ) {
    stored.checkCommand({ type: "check", cost });
  }

  /** As {@link checkTogether}, found where a service is limited in several scopes. */
  checkAll(demands: readonly StoredDemand[]): Promise<StoredJointDecision> {
    return checkTogether(demands);
  }
}

/** A decision over several keys. */
export type StoredJointDecision =
  | {
      readonly degraded: false;
      /** Whether all were taken; otherwise none was. */
      readonly allowed: boolean;
      /** How long until the same would be granted, in milliseconds rounded up. */
      readonly retryAfterMs: number;
      /** The decision of each key, in their order; if one is refused, the others say what they would
       * have allowed. */
      readonly decisions: readonly Decision[];
    }
  | DegradedDecision;

/** How many keys can be asked in one decision. */
const MOST = 32;

/**
 * Takes what is asked of each key, if every one has it; otherwise no one pays. All keys are of one store,
 * each once; on a Redis Cluster all need the same hash tag.
 *
 * ```ts
 * await checkTogether([users.demand("{api}:user:1"), everybody.demand("{api}:all")]);
 * ```
 *
 * Should the store fail, the strictest policy decides: to raise, to deny, a local limiter, to allow.
 */
export async function checkTogether(demands: readonly StoredDemand[]): Promise<StoredJointDecision> {
  const { limiter } = checkedFirst(demands);
  const keys = demands.map(({ key }) => key);
  limiter.store.checkKeys?.(keys);
  const entries = demands.map((demand) => demand.limiter.flights.entry(demand.key));
  const release = await takeTurns(demands, entries);
  try {
    const joint = { seen: () => entries.map(({ value }) => value), learn: learner(entries) };
    const decisions = await limiter.link.decide(keys, joint, (nowUs) => attempt(demands, entries, nowUs));
    return {
      degraded: false,
      allowed: decisions.every(({ allowed }) => allowed),
      retryAfterMs: Math.max(...decisions.map((decision) => (decision.allowed ? 0 : decision.retryAfterMs))),
      decisions,
    };
  } catch (error) {
    for (const entry of entries) entry.forget();
    return degraded(demands, error);
  } finally {
    release();
  }
}

function checkedFirst(demands: readonly StoredDemand[]): StoredDemand {
  const areDemands = Array.isArray(demands) && demands.every((demand) => demand instanceof StoredDemand);
  if (!areDemands || demands.length === 0 || demands.length > MOST) {
    throw wrongType("demands", `an array of 1 to ${MOST} demands`, demands);
  }
  const first = demands[0]!;
  if (demands.some(({ limiter }) => limiter.store !== first.limiter.store)) {
    throw wrongType("demands", "demands of one store", demands);
  }
  if (new Set(demands.map(({ key }) => key)).size < demands.length) {
    throw wrongType("demands", "each key once", demands);
  }
  return first;
}

/** Waits until nobody else here uses any of the keys: in the order of their names, so that nobody waits for
 * one another. Returns what lets them go. */
async function takeTurns(demands: readonly StoredDemand[], entries: readonly Entry[]): Promise<() => void> {
  const order = entries.map((_, index) => index).sort((a, b) => (entries[a]!.key < entries[b]!.key ? -1 : 1));
  for (const index of order) {
    await new Promise<void>((resolve) => {
      entries[index]!.turns.push(resolve);
      demands[index]!.limiter.flights.next(entries[index]!);
    });
  }
  return () => {
    entries.forEach((entry, index) => {
      entry.isBusy = false;
      demands[index]!.limiter.flights.next(entry);
    });
  };
}

function learner(entries: readonly Entry[]): Values["learn"] {
  return (values, at) => entries.forEach((entry, index) => entry.learn([values[index]!], at));
}

function attempt(demands: readonly StoredDemand[], entries: readonly Entry[], nowUs: number): Attempt<Decision[]> {
  const wanted = demands.map(({ limiter, cost }, index) => ({
    stored: entries[index]!.value,
    desired: limiter.desired,
    cost,
  }));
  const steps = stored.stepAcross(wanted, nanos(nowUs));
  return {
    result: steps.map(({ outcome }) => outcome),
    entries: steps.map(({ write }, index) => ({
      key: entries[index]!.key,
      seen: entries[index]!.value,
      write: write?.bytes ?? null,
      keepMs: write?.keepMs ?? 1,
    })),
    mayBeOld: demands.every(({ limiter }, index) => limiter.flights.isFresh(entries[index]!)),
  };
}

function degraded(demands: readonly StoredDemand[], error: unknown): DegradedDecision {
  const policies = demands.map(({ limiter }) => limiter.policy);
  const strict = policies.find(({ onStoreError }) => onStoreError === "raise");
  if (!(error instanceof StoreError) || strict !== undefined) throw error;
  const isDenied = policies.some(({ onStoreError }) => onStoreError === "deny");
  const local = demands.flatMap(({ limiter, key, cost }) => limiter.policy.local?.demand(key, cost) ?? []);
  const allowed = !isDenied && (local.length === 0 || checkAll(local).allowed);
  const decision = { degraded: true, allowed, cause: error } as const;
  for (const { limiter, key } of demands) limiter.tellDegraded(decision, key);
  return decision;
}
