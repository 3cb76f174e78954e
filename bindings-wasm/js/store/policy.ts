import { type Amount, type Decision, KeyedLimiter, type LimitsLike } from "../index.js";
import { StoreError, wrongType } from "./errors.js";

/**
 * What becomes of a decision when the store fails.
 *
 * - `"raise"`: it is rejected with the {@link StoreError}.
 * - `"allow"`, `"deny"`: it is allowed or denied.
 * - `{ local }`: it is made by limits of this process alone: its share, such as `"12/s"` of `"100/s"`
 *   for eight processes.
 */
export type OnStoreError = "raise" | "allow" | "deny" | { readonly local: LimitsLike };

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
    maxKeys: number,
  ) {
    if (typeof onStoreError === "object" && onStoreError !== null) {
      this.local = new KeyedLimiter(onStoreError.local, { maxKeys, overflow: "share" });
    } else if (!["raise", "allow", "deny"].includes(onStoreError)) {
      throw wrongType("onStoreError", '"raise", "allow", "deny" or { local }', onStoreError);
    }
  }

  /** The decision about a cost; throws the error if that is the policy, or if it is another one. */
  decide(error: unknown, key: string, cost: Amount, take = true): DegradedDecision {
    const cause = this.#cause(error);
    const allowed = this.local === undefined ? this.onStoreError === "allow" : this.#localDecision(key, cost, take);
    return { degraded: true, allowed, cause };
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
