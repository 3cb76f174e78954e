import {
  type Amount,
  type Decision,
  type Inheritance,
  KeyedLimiter,
  type Limits,
  type LimitsLike,
} from "../index.js";
import * as stored from "../stored.js";
import { StoreError, wrongType } from "./errors.js";

/**
 * What becomes of a decision when the store fails.
 *
 * - `"raise"`: it is rejected with the {@link StoreError}.
 * - `"allow"`, `"deny"`: it is allowed or denied.
 * - `{ instances }`: it is made in this process alone, by its share of the limits, of which there are so
 *   many; see `shareOf` of `stored`.
 * - `{ local }`: it is made in this process alone, by these limits.
 */
export type OnStoreError =
  | "raise"
  | "allow"
  | "deny"
  | { readonly instances: number }
  | { readonly local: LimitsLike };

/** A decision of the store. */
export interface SharedDecision extends Decision {
  readonly degraded: false;
}

/** A decision made without the store. It promises nothing: there are no numbers to tell. */
export interface DegradedDecision {
  readonly degraded: true;
  readonly allowed: boolean;
  /** Why the store did not decide. */
  readonly cause: StoreError;
}

/** A decision, with or without the store. */
export type StoredDecision = SharedDecision | DegradedDecision;

/** Decides without the store. */
export class Policy {
  /** The limits of this process alone, if that is the policy. */
  readonly local: KeyedLimiter | undefined;

  constructor(
    readonly onStoreError: OnStoreError,
    limits: Limits,
    maxKeys: number,
  ) {
    if (typeof onStoreError === "object" && onStoreError !== null) {
      this.local = new KeyedLimiter(localLimits(onStoreError, limits), { maxKeys, overflow: "share" });
    } else if (!["raise", "allow", "deny"].includes(onStoreError)) {
      throw wrongType("onStoreError", '"raise", "allow", "deny", { instances } or { local }', onStoreError);
    }
  }

  /** The decision about a cost; throws the error if that is the policy, or if it is another one. */
  decide(error: unknown, key: string, cost: Amount, take = true): DegradedDecision {
    const cause = this.#cause(error);
    const allowed = this.local === undefined ? this.onStoreError === "allow" : this.#localDecision(key, cost, take);
    return { degraded: true, allowed, cause };
  }

  /** Takes over other limits, where a share of them is the policy. */
  update(limits: Limits, inheritance: Inheritance): void {
    const { onStoreError } = this;
    if (typeof onStoreError === "object" && "instances" in onStoreError) {
      this.local!.update(localLimits(onStoreError, limits), inheritance);
    }
  }

  /** The cause of a decision without the store; throws the error if there is to be none. */
  #cause(error: unknown): StoreError {
    if (!(error instanceof StoreError) || this.onStoreError === "raise") throw error;
    return error;
  }

  #localDecision(key: string, cost: Amount, take: boolean): boolean {
    return take ? this.local!.tryAcquire(key, cost) : this.local!.peek(key, cost).allowed;
  }
}

function localLimits(policy: { instances: number } | { local: LimitsLike }, limits: Limits): LimitsLike {
  return "instances" in policy ? stored.shareOf(limits, policy.instances) : policy.local;
}
