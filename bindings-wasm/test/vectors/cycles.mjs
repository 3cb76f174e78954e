// Every recorded fixed-cycle scenario, through the public API.
import { SHIFT, attempt, integer, same } from "./common.mjs";

const MAX = (1n << 63n) - 1n;

/** Runs the scenarios of `file` with a package; returns how many of what ran and what was left out. */
export function runCycles(api, file) {
  const count = { scenarios: 0, steps: 0, waitingThreads: 0 };
  for (const scenario of file.scenarios) {
    count.scenarios += 1;
    run(api, scenario, count);
  }
  return count;
}

function run(api, scenario, count) {
  const { config, steps, construct_error } = scenario;
  // Steps count from construction. One recorded clock wraps as an i64, which ours must not: only the
  // distance counts, so that scenario begins at 0.
  const start = integer(config.clock_start_ns);
  const fits = steps.every((step) => start + integer(step.at_ns) <= MAX);
  const origin = (fits ? start : 0n) + SHIFT;
  const clock = new api.ManualClock(origin);
  const limiter = attempt(
    () =>
      new api.FixedCycle(
        new api.Cycle(integer(config.limit_for_period), integer(config.limit_refresh_period_ns), {
          timeout: integer(config.timeout_ns),
        }),
        { clock },
      ),
  );
  if (construct_error) {
    same(limiter, { error: construct_error.error }, () => scenario.name);
    return;
  }
  if (limiter.error !== undefined) throw new Error(`${scenario.name}: ${limiter.error}`);
  steps.forEach((step, index) => {
    clock.set(origin + integer(step.at_ns));
    const at = () => `${scenario.name} step ${index}: ${JSON.stringify(step)}`;
    if (step.op === "waiting") {
      // Threads that wait are none of JavaScript's.
      count.waitingThreads += 1;
    } else {
      const before = limiter.available();
      const drained = [];
      const answer = attempt(() => perform(api, limiter, step, drained));
      same(answer, without(field(step, "result"), "java"), at);
      if (answer === false || answer === "-1") {
        same(limiter.available(), before, () => `${at()}: a refusal took`);
      }
      const event = field(step, "events")?.find((event) => event.type === "drained");
      if (field(step, "events") != null) same(drained.map(Number), event === undefined ? [] : [event.n], at);
      count.steps += 1;
    }
    const available = field(step, "available");
    if (available != null) same(Number(limiter.available()), available, at);
  });
}

/** A field of what the step must answer: `expect` holds only those that differ from the record. */
export function field(step, key) {
  return Object.hasOwn(step.expect ?? {}, key) ? step.expect[key] : step[key];
}

/** The record names the reference's exception beside the code. */
export function without(value, key) {
  if (value === null || typeof value !== "object") return value ?? null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Performs a step and gives the answer in the form of the file. */
export function perform(api, limiter, { op, args = {} }, drained) {
  const n = args.n === undefined ? undefined : integer(args.n);
  switch (op) {
    case "acquire":
      return limiter.tryAcquire(n);
    case "reserve":
      return limiter.reserve(n)?.wait ?? "-1";
    case "call": {
      // A guarded call: acquire, run, and drain if the outcome asks for it.
      if (!limiter.tryAcquire(n)) return "rejected";
      const drain = args.outcome.startsWith("drain_");
      if (drain) drained.push(limiter.drain());
      return drain ? args.outcome.slice("drain_".length) : args.outcome;
    }
    case "on_error":
      if (args.drain === true) drained.push(limiter.drain());
      return null;
    case "drain":
      drained.push(limiter.drain());
      return null;
    case "change_limit":
      limiter.changeLimit(integer(args.limit_for_period));
      return null;
    case "change_timeout":
      limiter.changeTimeout(integer(args.timeout_ns));
      return null;
    case "available":
      return Number(limiter.available());
    case "nanos_to_wait":
      // The file writes "never" as i64::MAX + 1.
      return limiter.wait() ?? 1n << 63n;
    case "cycle":
      return limiter.cycle();
    case "config":
      return {
        limit_for_period: Number(limiter.config.limit),
        limit_refresh_period_ns: limiter.config.period,
        timeout_ns: limiter.config.timeout,
      };
    default:
      throw new Error(`operation ${op}`);
  }
}
