import { type Decision, Limiter, type LimitInfo, type LimitStatus, ManualClock } from "tokenweir-wasm";
import { History } from "./history";
import { Peak } from "./peak";
import type { Setup } from "./setup";
import { type Source, source } from "./traffic";

/** How many requests were answered how. */
export interface Totals {
  granted: number;
  refused: number;
  /** How many of the refused were told that no wait helps. */
  never: number;
  /** The longest wait that another was told, in milliseconds. */
  longest: number;
}

/**
 * One limiter and those who ask it, by a clock that moves only when it is told.
 *
 * What has happened by an instant depends on the setup alone, not on the steps by which it was reached.
 */
export class Lane {
  readonly limits: readonly LimitInfo[];
  readonly history: History;
  readonly peak: Peak;
  readonly totals: Totals = { granted: 0, refused: 0, never: 0, longest: 0 };
  /** The last answer. */
  last: Decision | undefined;
  readonly #limiter: Limiter;
  readonly #clock: ManualClock;
  readonly #source: Source;
  readonly #setup: Setup;
  #hand = 0;

  /** The limiter of the first or the second limits; text that is none is a `LimitSyntaxError`. */
  constructor(setup: Setup, index: 0 | 1) {
    this.#setup = setup;
    this.#clock = new ManualClock<number>(setup.start, { isWall: true });
    this.#limiter = new Limiter(setup.limits[index], { clock: this.#clock });
    this.limits = this.#limiter.limits.describe();
    this.history = new History(setup.view, this.limits.length);
    this.peak = new Peak(setup.window);
    this.#source = source(setup.traffic);
  }

  /** When the next requests are sent, in milliseconds since the beginning. */
  get next(): number {
    return Math.min(this.#source.next, this.#setup.hand[this.#hand]?.[0] ?? Infinity);
  }

  /** How each limit stands. */
  statuses(): LimitStatus[] {
    return this.#limiter.statuses();
  }

  /** Lets the time pass until `now`, with all requests at that instant. */
  advance(now: number): void {
    for (;;) {
      const next = this.next;
      const sample = this.history.nextSample;
      if (Math.min(next, sample) > now) break;
      if (next <= sample) this.#requests(next);
      else this.#sample(sample);
    }
    this.#moveTo(now);
  }

  /** Sends a request now that is in no pattern, and that the setup says was sent by hand. */
  send(now: number): void {
    this.#moveTo(now);
    this.#ask(now);
    this.history.correct(now, this.#levels());
    this.#hand = this.#setup.hand.length;
  }

  #requests(at: number): void {
    this.#moveTo(at);
    let wait = 0;
    // Who clicks does so after what happens by itself at that instant.
    if (this.#source.next === at) {
      for (let index = 0; index < this.#source.count; index += 1) wait = this.#ask(at);
      this.#source.answered(at, wait);
      return;
    }
    const [, count] = this.#setup.hand[this.#hand]!;
    for (let index = 0; index < count; index += 1) this.#ask(at);
    this.#hand += 1;
  }

  #ask(at: number): number {
    const { cost } = this.#setup;
    const decision = this.#limiter.check(cost);
    this.last = decision;
    this.history.answer(at, decision.allowed, decision.retryAfterMs);
    if (decision.allowed) {
      this.totals.granted += 1;
      this.peak.add(at, cost);
      return 0;
    }
    this.totals.refused += 1;
    if (decision.never) this.totals.never += 1;
    else this.totals.longest = Math.max(this.totals.longest, decision.retryAfterMs);
    return decision.retryAfterMs;
  }

  #sample(at: number): void {
    this.#moveTo(at);
    this.history.sample(this.#levels());
  }

  #levels(): number[] {
    return this.#limiter.statuses().map((status) => status.available);
  }

  #moveTo(at: number): void {
    this.#clock.set(this.#setup.start + at);
  }
}
