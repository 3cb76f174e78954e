import { Lane } from "./lane";
import type { Setup } from "./setup";
import { density } from "./traffic";

/** The most that is done for one picture, and for a link that is opened, in requests and levels. */
const STEPS = 10_000;
const STEPS_OF_LINK = 1_000_000;

/** Two limiters under the same traffic. */
export class Simulation {
  readonly lanes: readonly [Lane, Lane];
  /** Milliseconds since the beginning. */
  #now = 0;
  readonly #hand: [at: number, count: number][];
  /** How much is done in a millisecond. */
  readonly #density: number;

  /** A run at its beginning; limits that are none are a `LimitSyntaxError`. */
  constructor(public setup: Setup) {
    this.#hand = setup.hand.map(([at, count]) => [at, count]);
    const own = { ...setup, hand: this.#hand };
    this.lanes = [new Lane(own, 0), new Lane(own, 1)];
    this.#density = density(setup.traffic) + 1 / this.lanes[0].history.grid;
    this.#advance(0);
  }

  get now(): number {
    return this.#now;
  }

  /** What was sent by hand. */
  get hand(): Setup["hand"] {
    return this.#hand;
  }

  /** Lets `millis` pass, or less if more happens meanwhile than one picture can show. */
  pass(millis: number): void {
    this.#advance(this.#now + Math.min(millis, STEPS / this.#density));
  }

  /** Goes on to the moment of a link; moments that take very long to reach are not. */
  goTo(moment: number): void {
    this.#advance(Math.max(this.#now, Math.min(moment, STEPS_OF_LINK / this.#density)));
  }

  /** To the next requests, or by a hundredth of what is shown if there are none before. */
  step(): void {
    const next = Math.min(...this.lanes.map((lane) => lane.next));
    this.#advance(Math.min(next, this.#now + this.setup.view / 100));
  }

  /** Sends a request to both, now. */
  send(): void {
    const last = this.#hand.at(-1);
    if (last?.[0] === this.#now) last[1] += 1;
    else this.#hand.push([this.#now, 1]);
    for (const lane of this.lanes) lane.send(this.#now);
  }

  #advance(to: number): void {
    for (const lane of this.lanes) lane.advance(to);
    this.#now = to;
  }
}
