/** Replays a log against limits: who would have been refused, and when? */
import { type Decision, KeyedLimiter, Limiter, Limits, ManualClock } from "tokenweir-wasm";
import type { Log } from "./read";

/** What became of the requests of one key. */
export interface Tally {
  readonly key: string;
  admitted: number;
  refused: number;
  /** The longest wait of a refused one, in milliseconds; infinite for never. */
  longest: number;
}

/** What became of the requests. */
export interface Outcome {
  readonly admitted: number;
  readonly refused: number;
  readonly keys: number;
  readonly keysRefused: number;
  /** The keys with the most requests, and those with the most refusals. */
  readonly busiest: readonly Tally[];
  readonly mostRefused: readonly Tally[];
  /** How many requests each of several limits refused. */
  readonly refusedBy: readonly { readonly name: string; readonly count: number }[];
  /** Answers by stretches of time of one length. */
  readonly times: readonly number[];
  readonly admittedAt: readonly number[];
  readonly refusedAt: readonly number[];
  readonly stretch: number;
  readonly bad: Pick<Log, "bad" | "firstBad">;
}

/** How many stretches of time there are at most. */
const STRETCHES = 96;
/** How many keys are listed. */
const LISTED = 20;

/** Runs one limiter for each key, which begins full at the first request of that key. */
export function replay(log: Log, text: string): Outcome {
  const { times, owners, keys } = log;
  const first = times[0] ?? 0;
  const limits = Limits.of(text);
  const check = checker(limits, keys);
  const tallies: Tally[] = keys.map((key) => ({ key, admitted: 0, refused: 0, longest: 0 }));
  const refusedBy = new Map(limits.names.map((name) => [name, 0]));
  const stretch = stretchOf(first, times.at(-1) ?? first);
  const begin = Math.floor(first / stretch) * stretch;
  const stretches = Math.floor(((times.at(-1) ?? first) - begin) / stretch) + 1;
  const admittedAt = new Array<number>(stretches).fill(0);
  const refusedAt = new Array<number>(stretches).fill(0);
  for (const [index, at] of times.entries()) {
    const tally = tallies[owners[index]!]!;
    const place = Math.floor((at - begin) / stretch);
    const decision = check(owners[index]!, at);
    if (decision.allowed) {
      tally.admitted += 1;
      admittedAt[place]! += 1;
    } else {
      tally.refused += 1;
      tally.longest = Math.max(tally.longest, decision.retryAfterMs);
      refusedAt[place]! += 1;
      refusedBy.set(decision.scope, refusedBy.get(decision.scope)! + 1);
    }
  }
  const sum = (part: "admitted" | "refused"): number =>
    tallies.reduce((total, tally) => total + tally[part], 0);
  const refused = tallies.filter((tally) => tally.refused > 0);
  const requests = (tally: Tally): number => tally.admitted + tally.refused;
  return {
    admitted: sum("admitted"),
    refused: sum("refused"),
    keys: keys.length,
    keysRefused: refused.length,
    busiest: top(tallies, requests),
    mostRefused: top(refused, (tally) => tally.refused),
    refusedBy: [...refusedBy].map(([name, count]) => ({ name, count })),
    times: admittedAt.map((_, index) => begin + index * stretch),
    admittedAt,
    refusedAt,
    stretch,
    bad: { bad: log.bad, firstBad: log.firstBad },
  };
}

/** What asks the limiter of a key, by its number. */
function checker(limits: Limits, keys: readonly string[]): (owner: number, at: number) => Decision {
  const clock = new ManualClock<number>(0, { isWall: true });
  if (!/interval|cycle|adaptive/.test(`${limits}`)) {
    const limiter = new KeyedLimiter(limits, { maxKeys: keys.length, clock });
    return (owner, at) => limiter.check(keys[owner]!, 1, at);
  }
  // A keyed limiter gives up keys that are full, and with them when their periods began, on which what these limits
  // answer depends.
  const limiters: (Limiter | undefined)[] = new Array(keys.length);
  return (owner, at) => {
    clock.set(at);
    return (limiters[owner] ??= new Limiter(limits, { clock })).check(1, at);
  };
}

function top(tallies: readonly Tally[], by: (tally: Tally) => number): Tally[] {
  const order = (one: Tally, other: Tally): number => by(other) - by(one) || (one.key < other.key ? -1 : 1);
  return [...tallies].sort(order).slice(0, LISTED);
}

const LENGTHS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);

/** The shortest round length of which not too many are needed. */
function stretchOf(first: number, last: number): number {
  const day = LENGTHS.at(-1)!;
  return (
    LENGTHS.find((length) => (last - first) / length < STRETCHES) ??
    Math.ceil((last - first) / STRETCHES / day) * day
  );
}
