import type { Decision } from "./decision.js";
import type { Limits } from "./limits.js";
import type { Inheritance } from "./subject.js";
import type { Amount, Time } from "./time.js";

/** What a limiter tells of: whoever listens is called right after it has happened. */
export type LimiterEvent = (
  | {
      /** A cost was taken, at once or ahead of time. */
      readonly type: "allowed" | "refused";
      readonly cost: Amount;
      /** The numbers of the limit that decided. */
      readonly decision: Decision;
    }
  | {
      /** Tokens were given back, or a reservation was cancelled. */
      readonly type: "refunded";
      readonly cost: Amount;
    }
  | {
      /** The limits were replaced by these. */
      readonly type: "updated";
      readonly limits: Limits;
      readonly inheritance: Inheritance;
    }
) & {
  /** When. */
  readonly now: Time;
  /** Whose, at a keyed limiter. */
  readonly key?: string;
};

/** Is told what a limiter decides. */
export type Listener = (event: LimiterEvent) => void;
