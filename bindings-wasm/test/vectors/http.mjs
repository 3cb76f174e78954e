// The cases of HTTP and back-off, through the public API.
import { attempt, same, written } from "./common.mjs";

/** Runs the cases of `file` with a package; returns how many of each section ran. */
export function runHttp(api, file) {
  const count = {};
  for (const [section, run] of Object.entries(SECTIONS)) {
    const cases = Array.isArray(file[section]) ? file[section] : Object.entries(file[section]);
    for (const given of cases) run(api, given, () => `${section}: ${written(given)}`);
    count[section] = cases.length;
  }
  return count;
}

const { fromEntries, entries } = Object;
const wait = (text) => (text === "never" ? null : text === undefined ? undefined : BigInt(text));
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const given = (object) => fromEntries(entries(object).filter(([, value]) => value !== undefined));

const policy = ({ name, quota = "1", window_ns, unit, partition_key_hex }) =>
  given({
    name,
    quota: BigInt(quota),
    window: wait(window_ns),
    unit,
    partitionKey: partition_key_hex === undefined ? undefined : bytes(partition_key_hex),
  });

const quota = (object) =>
  given({
    policy: policy(object),
    remaining: BigInt(object.remaining),
    reset: wait(object.reset_ns),
    retryAfter: wait(object.retry_after_ns),
    effectiveWindow: wait(object.effective_window_ns),
  });

/** A header value: `hex:` in front means those bytes. */
const value = (text) =>
  text.startsWith("hex:") ? String.fromCharCode(...bytes(text.slice(4))) : text;

const optional = (number) => (number === undefined ? null : number);

const SECTIONS = {
  styles(api, [key, styles], where) {
    if (key === "code") return;
    for (const style of styles) {
      const answer = attempt(() => api.http.fields(style, []));
      same(answer, key === "known" ? [] : { error: "unknown_field_style" }, () => `${where()} ${style}`);
    }
  },
  policy_errors(api, object, where) {
    const answer = attempt(() => api.http.checkPolicy(policy(object)) ?? null);
    same(answer, object.code === undefined ? null : { error: object.code }, where);
  },
  fields(api, object, where) {
    const quotas = object.quotas.map(quota);
    for (const [style, fields] of entries(object.expect)) {
      same(api.http.fields(style, quotas), fields, () => `${where()} ${style}`);
    }
    if (object.problem !== undefined) {
      const body = api.http.problem(quotas, object.detail);
      same(typeof object.problem === "string" ? body : JSON.parse(body), object.problem, where);
    }
  },
  services(api, { limits, steps }, where) {
    const buckets = limits.map(
      ({ capacity, tokens, period_ns }) =>
        new api.TokenBucket(api.Bandwidth.greedy(BigInt(capacity), BigInt(tokens), BigInt(period_ns)), {
          clock: new api.ManualClock(0n),
        }),
    );
    for (const step of steps) {
      const [now, cost] = [BigInt(step.at_ns), BigInt(step.cost)];
      for (let sent = 0; sent < (step.repeat ?? 1); sent += 1) {
        const asked = buckets.map((bucket) => bucket.estimate(cost, now));
        const granted = asked.every((estimate) => estimate.canConsume);
        if (granted) buckets.forEach((bucket) => bucket.tryConsume(cost, now));
        same(granted ? 200 : 429, step.status, where);
        const quotas = buckets.map((bucket, index) => ({
          policy: { name: limits[index].name, quota: BigInt(limits[index].capacity), window: BigInt(limits[index].period_ns) },
          remaining: bucket.available(now) < 0n ? 0n : bucket.available(now),
          reset: bucket.timeToFull(now),
          ...(granted ? {} : { retryAfter: asked[index].wait }),
        }));
        if (step.expect !== undefined && sent === (step.repeat ?? 1) - 1) {
          for (const [style, fields] of entries(step.expect)) {
            same(api.http.fields(style, quotas), fields, () => `${where()} at ${step.at_ns} ${style}`);
          }
        }
      }
    }
  },
  advice(api, object, where) {
    const fields = object.fields.map(([name, text]) => [name, value(text)]);
    const received = api.http.received(fields, BigInt(object.now_ns));
    const { advice } = received;
    same(typeof advice === "string" ? advice : advice.notBefore, object.advice, where);
    if (Object.hasOwn(object, "retry_after_ns")) same(optional(received.retryAfter), object.retry_after_ns, where);
    if (object.policies) {
      const found = received.policies.map((policy) => ({
        name: policy.name,
        quota: policy.quota,
        window_seconds: optional(policy.windowSeconds),
        unit: optional(policy.unit),
      }));
      same(found, object.policies.map(({ name, quota, window_seconds = null, unit = null }) => ({ name, quota, window_seconds, unit })), where);
    }
    if (object.limits) {
      const found = received.limits.map((limit) => ({
        name: optional(limit.name),
        limit: optional(limit.limit),
        remaining: optional(limit.remaining),
        reset_ns: optional(limit.reset),
      }));
      same(found, object.limits.map(({ name = null, limit = null, remaining = null, reset_ns = null }) => ({ name, limit, remaining, reset_ns })), where);
    }
  },
  malformed(api, [name, values], where) {
    for (const text of values) {
      const { advice } = api.http.received([[name, value(text)]], 0n);
      same(advice, "unknown", () => `${where()} ${text}`);
    }
  },
  dates(api, { text, now_ns, unix_ns }, where) {
    same(api.http.parseDate(text, BigInt(now_ns)), unix_ns, where);
  },
  addresses(api, { peer, lines, key, trusted_proxies, field, ipv6_prefix }, where) {
    const address = new api.http.ClientAddress(
      given({ trustedProxies: trusted_proxies, field, ipv6Prefix: ipv6_prefix }),
    );
    same(address.key(peer, lines), key, where);
  },
  address_errors(api, { ipv6_prefix, field, code }, where) {
    const answer = attempt(() => new api.http.ClientAddress(given({ field, ipv6Prefix: ipv6_prefix })) && null);
    same(answer, code === undefined ? null : { error: code }, where);
  },
  backoff(api, object, where) {
    const backoff = new api.Backoff(options(object));
    object.tries.forEach((step, index) => {
      const answer = backoff.next(BigInt(step.elapsed), wait(step.retry_after) ?? (step.retry_after === "never" ? null : 0n), BigInt(step.random ?? 0));
      same(answer, step.delay === undefined ? { giveUp: step.give_up } : { delay: step.delay }, () => `${where()} try ${index}`);
    });
  },
  backoff_errors(api, object, where) {
    same(attempt(() => new api.Backoff(options(object))), { error: object.code }, where);
  },
  timers(api, [nanos, millis], where) {
    same(api.http.timerMillis(BigInt(nanos)), millis, where);
  },
};

const options = ({ initial, multiplier, max, jitter, max_retries, budget, longest_retry_after }) =>
  given({
    initial: BigInt(initial),
    multiplier,
    max: wait(max),
    jitter,
    maxRetries: max_retries,
    budget: wait(budget),
    longestRetryAfter: wait(longest_retry_after),
  });
