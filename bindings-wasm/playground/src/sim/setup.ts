import type { Traffic } from "./traffic";

/** All that a run depends on: the same setup gives the same run. */
export interface Setup {
  /** The limits of the two limiters, as text. */
  readonly limits: readonly [string, string];
  readonly traffic: Traffic;
  /** What each request costs. */
  readonly cost: number;
  /** The time of day at which the run begins, in milliseconds after midnight (UTC). */
  readonly start: number;
  /** How much the charts show, in milliseconds. */
  readonly view: number;
  /** The length of the stretches of which the fullest is told, in milliseconds. */
  readonly window: number;
  /** How many milliseconds pass in a real one. */
  readonly speed: number;
  /** What was sent by hand: when, and how many at once. */
  readonly hand: readonly (readonly [at: number, count: number])[];
}

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What can be chosen. */
export const SPEEDS = [0.25, 1, 5, 20, 60, 600, 3_600, 14_400];
export const VIEWS = [
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  3 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  60 * HOUR,
];
export const WINDOWS = [SECOND / 10, SECOND, 10 * SECOND, MINUTE, HOUR, DAY];

/** A setup that shows something. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  /** What to look at. */
  readonly about: string;
  readonly setup: Setup;
}

const COMMON = { cost: 1, start: 0, view: 30 * SECOND, window: SECOND, speed: 1, hand: [] } as const;

export const PRESETS: readonly Preset[] = [
  {
    id: "boundary",
    title: "Boundary burst",
    about:
      "A fixed cycle forgets at its edge: ten requests just before it and ten just after make twenty in " +
      "half a second. The bucket has the same rate, but gives each token back only when it has been earned.",
    setup: {
      ...COMMON,
      limits: ["cycle 10/10s", "10/10s"],
      traffic: { kind: "bursts", size: 10, times: 2, gap: 500, first: 9_750, every: 20_000 },
      speed: 5,
    },
  },
  {
    id: "refill",
    title: "Greedy or interval",
    about:
      "Six a minute, asked every three seconds. The greedy bucket returns one token every ten seconds; the " +
      "interval bucket returns all six when the minute is over, and until then every wait is a long one.",
    setup: {
      ...COMMON,
      limits: ["interval 6/min", "6/min"],
      traffic: { kind: "poll", every: 3_000 },
      view: 3 * MINUTE,
      window: MINUTE,
      speed: 20,
    },
  },
  {
    id: "two",
    title: "Two limits at once",
    about:
      "Fifteen requests every two seconds. Both may send 20 at once and 10 a second; A must also stay " +
      "within 100 a minute. Both of its limits agree or none pays. Its first minute gets the full bucket " +
      "and what comes back meanwhile.",
    setup: {
      ...COMMON,
      limits: ["burst: 10/s burst 20; minute: 100/min", "burst: 10/s burst 20"],
      traffic: { kind: "bursts", size: 15, times: 1, gap: 0, first: 0, every: 2_000 },
      view: MINUTE,
      window: MINUTE,
      speed: 5,
    },
  },
  {
    id: "day",
    title: "Aligned to the day",
    about:
      "A quota of 20 a day, asked every half hour from 18:00 on. Aligned, it is full again at midnight " +
      "(UTC), whenever it was used; unaligned, a token comes back every 72 minutes.",
    setup: {
      ...COMMON,
      limits: ["20/day aligned", "20/day"],
      traffic: { kind: "poll", every: 30 * MINUTE },
      start: 18 * HOUR,
      view: 60 * HOUR,
      window: DAY,
      speed: 14_400,
    },
  },
  {
    id: "never",
    title: "A cost above capacity",
    about:
      "Every request costs 30. A can hold 20 and says “never” instead of a wait that would not help; B can " +
      "hold 50 and says how long.",
    setup: {
      ...COMMON,
      limits: ["10/s burst 20", "10/s burst 50"],
      traffic: { kind: "steady", perSecond: 1 },
      cost: 30,
      window: 10 * SECOND,
      speed: 5,
    },
  },
  {
    id: "retry",
    title: "Asked again when told",
    about:
      "A client for each limiter that waits exactly as long as it is told, to the nanosecond, and then asks" +
      " once more. Waits are exact: of two requests one is refused and the next is granted, never two " +
      "refusals in a row.",
    setup: {
      ...COMMON,
      limits: ["7/3s", "cycle 7/3s"],
      traffic: { kind: "retry" },
      view: 10 * SECOND,
      window: 10 * SECOND,
    },
  },
];
