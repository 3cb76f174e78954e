// The operations of a bucket and of a cycle, each on stored bytes, which are all that is left after it.
import { Cycle, FixedCycle, Limits, stored } from "./node-package.mjs";

/** Milliseconds as nanoseconds, as near as a float has them. */
const nanos = (millis) => (millis === null || millis === Infinity ? null : BigInt(Math.round(millis * 1e6)));

/** A key: what it writes is told as `wrote(seen, bytes)`. */
class StoredKey {
  constructor(limits, clock, wrote) {
    this.desired = { limits: Limits.of(limits), version: 0 };
    this.clock = clock;
    this.wrote = wrote;
    this.value = null;
    // The scenarios make their limiter first. A new entry that is full is not stored by itself, and giving it
    // something back leaves it full.
    this.run({ type: "statuses" });
    if (this.value === null) this.run({ type: "refund", cost: 1 });
  }

  run(command) {
    const { outcome, write } = stored.step(this.value, this.desired, this.clock.now(), command);
    if (write !== null) {
      this.wrote(this.value, write.bytes);
      this.value = write.bytes;
    }
    return outcome;
  }

  /** Grows with each replacement, as a deployment's would. */
  update(limits, inheritance) {
    this.desired = { limits: Limits.of(limits), version: this.desired.version + 1, inheritance };
    this.run({ type: "statuses" });
  }

  statuses() {
    return this.run({ type: "statuses" });
  }

  get available() {
    return BigInt(Math.min(...this.statuses().map(({ available }) => available)));
  }
}

/** As `TokenBucket`. */
export class StoredBucket {
  #key;

  constructor(bandwidths, clock, wrote) {
    this.#key = new StoredKey(bandwidths, clock, wrote);
  }

  get value() {
    return this.#key.value;
  }

  tryConsume(cost) {
    return this.#key.run({ type: "check", cost }).allowed;
  }

  probe(cost) {
    const { allowed, ...decision } = this.#key.run({ type: "check", cost });
    return { consumed: allowed, ...this.#numbers(decision) };
  }

  estimate(cost) {
    const { allowed, ...decision } = this.#key.run({ type: "peek", cost });
    return { canConsume: allowed, ...this.#numbers(decision) };
  }

  /** The numbers of all bandwidths together, as a bucket has them. */
  #numbers({ retryAfterMs }) {
    const remaining = this.available();
    return { remaining: remaining < 0n ? 0n : remaining, wait: nanos(retryAfterMs), reset: this.timeToFull() };
  }

  consumeUpTo(cost = (1n << 63n) - 1n) {
    return BigInt(this.#key.run({ type: "acquireUpTo", cost }));
  }

  consumeIgnoringLimits(cost) {
    return nanos(this.#key.run({ type: "acquireIgnoringLimits", cost }));
  }

  reserve(cost, maxWait) {
    const reservation = this.#key.run({ type: "reserve", cost, maxWait });
    return reservation && { wait: nanos(reservation.wait) };
  }

  add(cost) {
    this.#key.run({ type: "refund", cost });
  }

  forceAdd(cost) {
    this.#key.run({ type: "forceAdd", cost });
  }

  reset() {
    this.#key.run({ type: "reset" });
  }

  replace(bandwidths, inheritance) {
    this.#key.update(bandwidths, inheritance);
  }

  available() {
    return this.#key.available;
  }

  availableOfEach() {
    return this.#key.statuses().map(({ available }) => BigInt(available));
  }

  timeToFull() {
    const waits = this.#key.statuses().map(({ resetAfter }) => nanos(resetAfter));
    return waits.includes(null) ? null : waits.reduce((most, wait) => (wait > most ? wait : most));
  }
}

/** As `FixedCycle`. */
export class StoredCycle {
  #key;

  constructor(config, clock, wrote) {
    this.config = config;
    this.#key = new StoredKey(config, clock, wrote);
  }

  tryAcquire(cost) {
    return this.#key.run({ type: "check", cost: permits(cost) }).allowed;
  }

  reserve(cost) {
    // Without a wait there is nothing to reserve.
    if (this.config.timeout === 0n) return this.tryAcquire(cost) ? { wait: 0n } : null;
    const reservation = this.#key.run({ type: "reserve", cost: permits(cost), maxWait: this.config.timeout });
    return reservation && { wait: nanos(reservation.wait) };
  }

  drain() {
    return this.#key.run({ type: "acquireUpTo", cost: (1n << 63n) - 1n });
  }

  changeLimit(limit) {
    const { period, timeout } = this.config;
    this.config = new Cycle(limit, period, { timeout });
    this.#key.update(this.config, "as-is");
  }

  changeTimeout(timeout) {
    const { limit, period } = this.config;
    this.config = new Cycle(limit, period, { timeout });
  }

  available() {
    return this.#key.available;
  }

  wait() {
    return nanos(this.#key.run({ type: "peek", cost: 1 }).retryAfterMs);
  }
}

/** What is no number of permits is refused as such. */
function permits(cost) {
  new FixedCycle(new Cycle(1n, 1n)).tryAcquire(cost);
  return cost;
}
