import type { Decision } from "./decision.js";
import type { Limits } from "./limits.js";
import type { Inheritance } from "./inheritance.js";
import type { Amount, Time } from "./time.js";

/** What a limiter tells of: whoever listens is called right after it has happened. */
export type LimiterEvent = (
  | {
      /** A cost was taken, or it was not there: whoever waits for it is refused first. */
      readonly type: "allowed" | "refused";
      readonly cost: Amount;
      /** The numbers of the limit that decided. */
      readonly decision: Decision;
    }
  | {
      /** A cost was taken ahead of time. */
      readonly type: "reserved";
      readonly cost: Amount;
      /** How long it has to wait, in milliseconds. */
      readonly waitMs: number;
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
