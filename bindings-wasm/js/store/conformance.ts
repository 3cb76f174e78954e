/** What every store must do, as checks that any test runner can run. */
import type { Answer, Comparison, Store } from "./store.js";
import { StoredLimiter } from "./limiter.js";
import { checkTogether } from "./together.js";

/** One of the checks; it rejects if the store does not do what it says. */
export interface ConformanceCheck {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The checks of a store that `open` gives: the same one or another over the same values, as two processes
 * would have. They write keys that begin with `conformance`.
 *
 * ```ts
 * for (const { name, run } of conformance(() => new MyStore())) test(name, run);
 * ```
 */
export function conformance(open: () => Store | Promise<Store>): ConformanceCheck[] {
  return CHECKS.map(([name, check]) => ({
    name,
    run: async () => {
      const stamp = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
      await check(await open(), `conformance{${stamp}}`, open);
    },
  }));
}

type Check = (store: Store, key: string, open: () => Store | Promise<Store>) => Promise<void>;

const CHECKS: readonly (readonly [string, Check])[] = [
  ["what is not there is none", async (store, key) => {
    await same(store, [reading(key, null)]);
    const { present } = await store.compareAndSet([reading(key, bytes(1))], 0);
    expect(present?.length === 1 && present[0] === null, "a value that was expected and is not there is answered with none");
  }],
  ["what is written is there, byte by byte", async (store, key) => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await same(store, [writing(key, null, all)]);
    await differs(store, [reading(key, null)], [all]);
    await same(store, [reading(key, all)]);
  }],
  ["another value than was seen is answered, and stays", async (store, key) => {
    await same(store, [writing(key, null, bytes(1))]);
    await differs(store, [writing(key, null, bytes(2))], [bytes(1)]);
    await differs(store, [writing(key, bytes(3), bytes(2))], [bytes(1)]);
    await same(store, [writing(key, bytes(1), bytes(2))]);
    await same(store, [reading(key, bytes(2))]);
  }],
  ["all of several keys are written or none", async (store, key) => {
    const [a, b] = [`${key}:b`, `${key}:a`];
    await same(store, [writing(a, null, bytes(1)), writing(b, null, bytes(2))]);
    await differs(store, [writing(a, bytes(1), bytes(3)), writing(b, bytes(9), bytes(4))], [bytes(1), bytes(2)]);
    await differs(store, [writing(a, null, bytes(3)), writing(b, bytes(2), bytes(4))], [bytes(1), bytes(2)]);
    await same(store, [writing(a, bytes(1), bytes(5)), reading(b, bytes(2))]);
    await same(store, [reading(a, bytes(5)), reading(b, bytes(2))]);
  }],
  ["time does not go back, and nothing is decided ahead of it", async (store, key) => {
    const { nowUs } = await same(store, [reading(key, null)]);
    expect(Number.isInteger(nowUs) && nowUs > 0, `${nowUs} are whole microseconds`);
    await differs(store, [writing(key, null, bytes(1), 3_600_000)], [null], nowUs + 3_600_000_000);
    const later = await same(store, [writing(key, null, bytes(1))], nowUs);
    expect(later.nowUs >= nowUs, `${later.nowUs} is not before ${nowUs}`);
  }],
  ["a value is none once its time to keep is over, and not before", async (store, key) => {
    const [short, long] = [`${key}:1`, `${key}:2`];
    await same(store, [writing(short, null, bytes(1), 1), writing(long, null, bytes(2), 3_600_000)]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await same(store, [reading(short, null), reading(long, bytes(2))]);
    await same(store, [writing(short, null, bytes(3))]);
  }],
  ["of many who make a key at once one does", async (store, key, open) => {
    const stores = await Promise.all(Array.from({ length: 4 }, open));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (stores[index % 4] ?? store).compareAndSet([writing(key, null, bytes(index))], 0),
      ),
    );
    const made = answers.flatMap(({ present }, index) => (present === null ? [index] : []));
    expect(made.length === 1, `${made.length} made it`);
    await same(store, [reading(key, bytes(made[0]!))]);
  }],
  ["limiters over it grant what the limits have, and no more", async (store, key, open) => {
    const options = { deadlineMs: 10_000 };
    const limiters = [new StoredLimiter(store, "50/day", options), new StoredLimiter(await open(), "50/day", options)];
    const decisions = await Promise.all(Array.from({ length: 80 }, (_, index) => limiters[index % 2]!.tryAcquire(key)));
    const granted = decisions.filter(Boolean).length;
    expect(granted === 50, `${granted} of 50 were granted`);
    const [user, everybody] = [new StoredLimiter(store, "5/day", options), limiters[0]!];
    const joint = await checkTogether([user.demand(`${key}:user`), everybody.demand(key)]);
    expect(!joint.allowed && (await user.tryAcquire(`${key}:user`, 5)), "who is refused by one key pays nothing under another");
    for (const limiter of [...limiters, user]) limiter.close();
  }],
];

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

const reading = (key: string, seen: Uint8Array | null): Comparison => ({ key, seen, write: null, keepMs: 1 });

const writing = (key: string, seen: Uint8Array | null, write: Uint8Array, keepMs = 60_000): Comparison => ({
  key,
  seen,
  write,
  keepMs,
});

async function same(store: Store, entries: Comparison[], asOfUs = 0): Promise<Answer> {
  const answer = await store.compareAndSet(entries, asOfUs);
  expect(answer.present === null, `what was last seen of ${entries.map(({ key }) => key)} is there`);
  return answer;
}

async function differs(store: Store, entries: Comparison[], present: (Uint8Array | null)[], asOfUs = 0): Promise<void> {
  const answer = await store.compareAndSet(entries, asOfUs);
  const found = answer.present?.map((value) => value && String(value));
  expect(String(found) === String(present.map((value) => value && String(value))), `${found} is ${present}`);
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the store does not conform: not true that ${what}`);
}
