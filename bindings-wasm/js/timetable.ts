import type { Clock } from "./clock.js";
import type { Time } from "./time.js";

/** Something that wants to be woken at an instant. */
export interface Sleeper {
  /** When; `undefined` for not at all. */
  readonly wakeAt: Time | undefined;
  wake(now: Time): void;
}

/** The longest delay that timers know, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** Wakes any number of sleepers by one timer. */
export class Timetable {
  readonly #clock: Clock;
  /** A binary heap, the earliest first. An entry whose instant its sleeper no longer wants is
   * ignored. */
  readonly #heap: { at: Time; sleeper: Sleeper }[] = [];
  #cancel: (() => void) | undefined;
  #armedFor: Time | undefined;
  #isFiring = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Time {
    return this.#clock.now();
  }

  /** Takes the sleeper's instant into account; to be called whenever that changes. */
  plan(sleeper: Sleeper): void {
    const at = sleeper.wakeAt;
    if (at !== undefined) this.#push({ at, sleeper });
    if (!this.#isFiring) this.#arm();
  }

  #arm(): void {
    const first = this.#first();
    if (first === this.#armedFor) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#armedFor = first;
    if (first === undefined) return;
    const now = this.#clock.now();
    const delay = typeof now === "bigint" ? Number((first as bigint) - now) / 1e6 : (first as number) - now;
    const millis = Math.min(Math.max(Math.ceil(delay), 1), LONGEST);
    const fire = () => this.#fire();
    this.#cancel = this.#clock.setTimer?.(fire, millis) ?? setTimer(fire, millis);
  }

  #fire(): void {
    this.#cancel = undefined;
    this.#armedFor = undefined;
    this.#isFiring = true;
    const now = this.#clock.now();
    for (let at = this.#first(); at !== undefined && at <= now; at = this.#first()) {
      this.#pop()!.sleeper.wake(now);
    }
    this.#isFiring = false;
    this.#arm();
  }

  /** The earliest instant that is still wanted. */
  #first(): Time | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined) return undefined;
      if (first.sleeper.wakeAt === first.at) return first.at;
      this.#pop();
    }
  }

  #push(entry: { at: Time; sleeper: Sleeper }): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent]!.at <= entry.at) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): { at: Time; sleeper: Sleeper } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child += 1;
      if (child >= heap.length || last.at <= heap[child]!.at) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

function setTimer(callback: () => void, millis: number): () => void {
  const timer = setTimeout(callback, millis);
  return () => clearTimeout(timer);
}
