import type { Clock } from "./clock.js";
import { type Decision, decision } from "./decision.js";
import { At, RECORD, engine, float, put } from "./engine.js";
import { coded, typeError } from "./errors.js";
import { checked } from "./fault.js";
import type { Standing, Subject } from "./subject.js";
import { type Amount, type Time, putAmount, putInstant } from "./time.js";

/** A limiter and what it is asked for: in a decision over several, see {@link checkAll}, and in what a
 * service says of a decision. */
export class Demand {
  /** @internal */
  constructor(
    readonly clock: Clock,
    readonly cost: Amount,
    readonly subject: (now: Time) => Subject,
    readonly names: () => readonly string[],
  ) {}

  /** As the function of this name, which also is where limiters of another package can find it. */
  checkAll(demands: readonly Demand[], now?: Time): JointDecision {
    return checkAll(demands, now);
  }

  /** How each of the limits stands after a decision about this cost, for what a service says of it. The
   * decision was that of another limiter if `decided` is false, of several that were asked at once. */
  standing(made: Decision, decided = true, now: Time = this.clock.now()): Standing[] {
    return this.subject(now).standing(this.names(), this.cost, made, decided, now);
  }
}

/** What several limiters decided together. */
export interface JointDecision extends Decision {
  /** Which of them decided: its place in the list. */
  readonly subject: number;
}

/** How many limiters can be asked in one decision. */
const MOST = 32;

/**
 * Takes what is asked of each limiter, if every one has it; otherwise no one pays.
 *
 * ```ts
 * const requests = new Limiter("10/min");
 * const tokens = new KeyedLimiter("1000/min", { maxKeys: 10_000 });
 * checkAll([requests.demand(), tokens.demand("user:1", 800)]).allowed;
 * ```
 */
export function checkAll(demands: readonly Demand[], now?: Time): JointDecision {
  if (!Array.isArray(demands) || demands.length === 0 || demands.length > MOST) {
    throw typeError("demands", `an array of 1 to ${MOST} demands`, demands);
  }
  const clock = demands[0]!.clock;
  for (const demand of demands) {
    if (!(demand instanceof Demand)) throw typeError("demands", "demands of limiters of this package", demand);
    if (now === undefined && demand.clock !== clock) {
      throw coded(new TypeError("demands: the limiters read different clocks, give them one"), "different_clocks");
    }
  }
  const instant = now ?? clock.now();
  // An entry that is new is made before the words are used for the decision.
  const subjects = demands.map((demand) => demand.subject(instant));
  demands.forEach((demand, index) => {
    const at = At.records + index * RECORD;
    const { group, entry } = subjects[index]!;
    put(at, BigInt(group) | (BigInt(entry) << 64n));
    putAmount(at + 2, demand.cost, "cost");
  });
  put(At.number, BigInt(demands.length));
  putInstant(At.now, instant);
  const allowed = checked(engine.decideAll()) === 1;
  const subject = float(At.result + 10);
  return { ...decision(allowed, demands[subject]!.names()), subject };
}
