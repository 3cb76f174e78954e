/** Who asks when: patterns of requests, as functions of time alone, so that they can be repeated. */

/** A pattern. Times are in milliseconds since the beginning. */
export type Traffic =
  /** Nobody but who clicks. */
  | { readonly kind: "hand" }
  /** So many each second, evenly. */
  | { readonly kind: "steady"; readonly perSecond: number }
  /** `size` at once, `times` times with `gap` between, the first at `first`; all again every `every`, or
   * once if that is 0. */
  | {
      readonly kind: "bursts";
      readonly size: number;
      readonly times: number;
      readonly gap: number;
      readonly first: number;
      readonly every: number;
    }
  /** One each `every`, at least a millisecond, whatever the answers. */
  | { readonly kind: "poll"; readonly every: number }
  /** A client that asks at once after a grant, and after a refusal when it was told to. */
  | { readonly kind: "retry" };

export type TrafficKind = Traffic["kind"];

/** A number in a pattern. */
export type Field = "perSecond" | "size" | "times" | "gap" | "first" | "every";

/** The numbers of each pattern. */
export const FIELDS: Readonly<Record<TrafficKind, readonly Field[]>> = {
  hand: [],
  steady: ["perSecond"],
  bursts: ["size", "times", "gap", "first", "every"],
  poll: ["every"],
  retry: [],
};

/** The least and the most that each may be. */
export const BOUNDS: Readonly<Record<Field | "cost", readonly [least: number, most: number]>> = {
  perSecond: [0.001, 1_000],
  size: [1, 1_000],
  times: [1, 20],
  gap: [0, 86_400_000],
  first: [0, 86_400_000],
  every: [0, 86_400_000],
  cost: [1, 1_000_000],
};

/** How many requests a pattern sends each millisecond, about. */
export function density(traffic: Traffic): number {
  switch (traffic.kind) {
    case "hand":
      return 0;
    case "steady":
      return traffic.perSecond / 1_000;
    case "poll":
      return 1 / Math.max(traffic.every, 1);
    case "bursts":
      return (traffic.size * traffic.times) / pause(traffic);
    case "retry":
      // Asked again no later than a millisecond after a grant, with a refusal in between.
      return 2;
  }
}

/** The requests to one limiter, one group after the other. */
export interface Source {
  /** When the next are sent; infinite if none are. */
  readonly next: number;
  /** How many at once. */
  readonly count: number;
  /** Goes on to those after: the last of these was sent at `now` and has to wait so long. */
  answered(now: number, waitMs: number): void;
}

/** The requests of a pattern. */
export function source(traffic: Traffic): Source {
  switch (traffic.kind) {
    case "hand":
      return new Timed(() => Infinity, 1);
    case "steady":
      return new Timed((index) => (index * 1_000) / traffic.perSecond, 1);
    case "poll":
      return new Timed((index) => index * Math.max(traffic.every, 1), 1);
    case "bursts":
      return new Timed((index) => burst(traffic, index), traffic.size);
    case "retry":
      return new Obedient();
  }
}

type Bursts = Extract<Traffic, { kind: "bursts" }>;

/** From one round to the next; rounds do not overlap. */
function pause({ times, gap, every }: Bursts): number {
  return Math.max(every, times * gap, 1);
}

function burst(traffic: Bursts, index: number): number {
  const round = Math.floor(index / traffic.times);
  if (round > 0 && traffic.every === 0) return Infinity;
  return traffic.first + round * pause(traffic) + (index % traffic.times) * traffic.gap;
}

/** Requests at times that are known beforehand. */
class Timed implements Source {
  #index = 0;
  next: number;

  constructor(
    readonly at: (index: number) => number,
    readonly count: number,
  ) {
    this.next = at(0);
  }

  answered(): void {
    this.#index += 1;
    this.next = this.at(this.#index);
  }
}

/** A client that waits as long as it is told. */
class Obedient implements Source {
  next = 0;
  readonly count = 1;

  answered(now: number, waitMs: number): void {
    // To the nanosecond, as the limiter counts; after a grant there is the next job a millisecond later.
    this.next = Math.round((now + (waitMs || 1)) * 1e6) / 1e6;
  }
}
