// Every recorded bucket scenario, through the public API.
import { attempt, expected, integer, same } from "./common.mjs";

const MAX = (1n << 63n) - 1n;
const MIN = -(1n << 63n);

/** Runs the scenarios of `file` with a package; returns how many of what ran and what was left out. */
export function runBuckets(api, file) {
  const count = { scenarios: 0, steps: 0, foreignBytes: 0 };
  for (const scenario of file.scenarios) {
    if (scenario.config === undefined) {
      // Commands of a store.
      runStored(api, scenario, count);
      count.scenarios += 1;
      continue;
    }
    count.scenarios += 1;
    run(api, scenario, count);
  }
  return count;
}

function run(api, scenario, count) {
  const where = () => scenario.name;
  const mustFail = Object.hasOwn(scenario, "expect_error") ? scenario.expect_error : scenario.construction_error;
  // Recorded instants are signed, ours start at 0: those of a scenario are moved by its earliest.
  const instants = [scenario.start_ns, ...(scenario.steps ?? []).map((step) => step.at_ns)].map(integer);
  const shift = instants.reduce((most, instant) => (-instant > most ? -instant : most), 0n);
  const clock = new api.ManualClock(integer(scenario.start_ns) + shift, { isWall: scenario.clock === "wall" });
  const bucket = attempt(() => new api.TokenBucket(bandwidths(api, scenario.config.bandwidths, shift), { clock }));
  if (mustFail != null) {
    same(bucket, { error: mustFail }, where);
    return;
  }
  if (bucket.error !== undefined) throw new Error(`${scenario.name}: ${bucket.error}`);
  (scenario.steps ?? []).forEach((step, index) => {
    if (step.op === "remote_state_hex") {
      count.foreignBytes += 1;
      return;
    }
    clock.set(integer(step.at_ns) + shift);
    const before = bucket.snapshot();
    const answer = attempt(() => perform(api, bucket, step, shift));
    const at = () => `${scenario.name} step ${index}: ${JSON.stringify(step)}`;
    same(answer, held(expected(step)), at);
    if (refused(answer)) same(bucket.snapshot(), before, () => `${at()}: a refusal changed it`);
    count.steps += 1;
  });
  if (scenario.final_expect) {
    const levels = bucket.snapshot();
    const found = levels.map((level) => ({
      last_refill_ns: level.lastRefill - shift,
      tokens: level.tokens,
      remainder: level.remainder,
    }));
    same(found, held(scenario.final_expect), () => `${scenario.name} at the end`);
  }
}

/** A debt beyond 64 bits is held at their end. */
export function held(value) {
  if (typeof value === "string" && /^-\d{19,}$/.test(value)) {
    const number = BigInt(value);
    return (number < MIN ? MIN : number).toString();
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(held);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, held(item)]));
}

/** Whether an answer says that nothing was taken. */
export function refused(answer) {
  return (
    answer === false ||
    (answer?.error !== undefined && answer.error !== "interrupted") ||
    answer?.consumed === false ||
    answer?.acquired === false ||
    answer?.future === "rejected"
  );
}

/** The bandwidths of a record, their instants moved. */
export function bandwidths(api, list, shift) {
  return list.map((bandwidth) => {
    const { style, tokens, period_s, period_ns, first_refill_ms, first_refill_ns } = bandwidth.refill;
    const period = period_s === undefined ? integer(period_ns) : integer(period_s) * 1_000_000_000n;
    const recorded =
      first_refill_ms === undefined ? integer(first_refill_ns ?? 0) : integer(first_refill_ms) * 1_000_000n;
    // One that is out of range stays so.
    const first = recorded < 0n ? recorded : recorded + shift;
    const options = {
      ...(bandwidth.id == null ? {} : { name: bandwidth.id }),
      ...(bandwidth.initial_tokens == null ? {} : { initialTokens: integer(bandwidth.initial_tokens) }),
    };
    const [capacity, refill] = [integer(bandwidth.capacity), integer(tokens)];
    switch (style) {
      case "greedy":
        return api.Bandwidth.greedy(capacity, refill, period, options);
      case "intervally":
        return api.Bandwidth.interval(capacity, refill, period, options);
      case "intervally_aligned":
        return api.Bandwidth.aligned(capacity, refill, period, first, options);
      case "intervally_aligned_adaptive":
        return api.Bandwidth.adaptive(capacity, refill, period, first, options);
      default:
        throw new Error(`refill style ${style}`);
    }
  });
}

/** The inheritances by their recorded names. */
export const INHERITANCE = {
  AS_IS: "as-is",
  PROPORTIONALLY: "proportional",
  ADDITIVE: "additive",
  RESET: "reset",
};

/** Performs a step and gives the answer in the form of the file. */
export function perform(api, bucket, { op, args = {} }, shift) {
  const n = args.n === undefined ? undefined : integer(args.n);
  const maxWait = args.max_wait_ns === undefined ? undefined : integer(args.max_wait_ns);
  switch (op) {
    case "try_consume":
      return bucket.tryConsume(n);
    case "try_consume_and_return_remaining": {
      const probe = bucket.probe(n);
      return {
        consumed: probe.consumed,
        remaining: probe.remaining,
        wait_refill_ns: probe.wait ?? MAX,
        wait_reset_ns: probe.reset ?? MAX,
      };
    }
    case "estimate_ability_to_consume": {
      const estimate = bucket.estimate(n);
      return {
        can_be_consumed: estimate.canConsume,
        remaining: estimate.remaining,
        wait_refill_ns: estimate.wait ?? MAX,
      };
    }
    case "try_consume_as_much_as_possible":
      return bucket.consumeUpTo(args.limit === undefined ? undefined : integer(args.limit));
    case "consume_ignoring_rate_limits":
      return bucket.consumeIgnoringLimits(n);
    case "add_tokens":
      bucket.add(n);
      return null;
    case "force_add_tokens":
      bucket.forceAdd(n);
      return null;
    case "reset":
      bucket.reset();
      return null;
    case "get_available_tokens":
      return bucket.available();
    case "verbose_available_tokens":
      return verbose(bucket, bucket.available());
    case "verbose_try_consume": {
      const consumed = bucket.tryConsume(n);
      return verbose(bucket, consumed);
    }
    case "blocking_try_consume": {
      const reservation = bucket.reserve(n, maxWait);
      return { acquired: reservation !== null, park_ns: reservation?.wait ?? 0n };
    }
    case "blocking_try_consume_interrupted": {
      // The interruption is the caller's affair: the tokens stay taken.
      const reservation = bucket.reserve(n, maxWait);
      if (!(reservation.wait > 0n)) throw new Error("there was nothing to interrupt");
      return { error: "interrupted" };
    }
    case "blocking_consume":
      return { acquired: true, park_ns: bucket.consumeIgnoringLimits(n) };
    case "scheduler_try_consume": {
      // The reference checks the wait before the amount; the answer names the first of both.
      if (maxWait < 1n) return attempt(() => bucket.reserve(1n, maxWait));
      const reservation = bucket.reserve(n, maxWait);
      return reservation === null ? { future: "rejected", delay_ns: 0n } : future(reservation.wait);
    }
    case "scheduler_consume":
      return future(bucket.consumeIgnoringLimits(n));
    case "replace_configuration":
      bucket.replace(bandwidths(api, args.bandwidths, shift), INHERITANCE[args.strategy]);
      return null;
    case "ttl_millis":
      return timeToLive(bucket, args);
    default:
      throw new Error(`operation ${op}`);
  }
}

function future(wait) {
  return { future: wait === 0n ? "done" : "pending", delay_ns: wait };
}

function verbose(bucket, value) {
  return {
    value,
    per_bandwidth: bucket.availableOfEach(),
    full_refill_ns: bucket.timeToFull() ?? MAX,
  };
}

/** How long a store keeps the state: until it is full, in milliseconds rounded up. */
function timeToLive(bucket, { strategy, millis = 0 }) {
  if (strategy === "none") return -1n;
  if (strategy === "fixed") return integer(millis);
  const full = ((bucket.timeToFull() ?? MAX) + 999_999n) / 1_000_000n + integer(millis);
  return full < 1n ? 1n : full > MAX ? MAX : full;
}

/** Runs a scenario whose steps are commands on what is stored under one key. */
export function runStored(api, scenario, count, wrote = () => {}) {
  let stored = null;
  scenario.steps.forEach((step, index) => {
    const { args } = step;
    const desired = {
      limits: bandwidths(api, args.bandwidths, 0n),
      ...(args.desired_version == null ? {} : { version: BigInt(args.desired_version) }),
      inheritance: INHERITANCE[args.strategy ?? "AS_IS"],
    };
    const now = integer(step.at_ns);
    const run = (command) => {
      const { outcome, write, version, consumed } = api.stored.step(stored, desired, now, command);
      if (write !== null) wrote(stored, write.bytes);
      stored = write?.bytes ?? stored;
      return { outcome, version, consumed };
    };
    const { value, version, consumed } = answerStored(run, args);
    const [status] = run({ type: "statuses" }).outcome;
    same(
      {
        value,
        stored_version: version,
        stored_capacity: `${status.limit}`,
        stored_consumed_total: consumed,
      },
      expected(step),
      () => `${scenario.name} step ${index}`,
    );
    count.steps += 1;
  });
}

function answerStored(run, { op, n }) {
  const cost = n === undefined ? undefined : integer(n);
  switch (op) {
    case "try_consume": {
      const { outcome, ...rest } = run({ type: "check", cost });
      return { value: outcome.allowed, ...rest };
    }
    case "try_consume_and_return_remaining": {
      const { outcome, ...rest } = run({ type: "check", cost });
      const value = {
        consumed: outcome.allowed,
        remaining: `${outcome.remaining}`,
        wait_refill_ns: `${outcome.retryAfterMs * 1e6}`,
        wait_reset_ns: `${outcome.resetAfterMs * 1e6}`,
      };
      return { value, ...rest };
    }
    case "get_available_tokens": {
      const { outcome, ...rest } = run({ type: "statuses" });
      return { value: `${outcome[0].available}`, ...rest };
    }
    case "consume_ignoring_rate_limits": {
      const { outcome, ...rest } = run({ type: "acquireIgnoringLimits", cost });
      return { value: `${outcome * 1e6}`, ...rest };
    }
    default:
      throw new Error(`operation ${op}`);
  }
}
