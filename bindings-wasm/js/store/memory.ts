import type { Clock } from "../index.js";
import type { Answer, Comparison, Store } from "./store.js";

/** A store within this process: for tests, and for limits that one process has to itself. */
export class MemoryStore implements Store {
  readonly #values = new Map<string, { bytes: Uint8Array; expiresUs: number }>();
  readonly #clock: Clock<number>;
  /** The keys that are looked at for expired ones, a few with each writing. */
  #sweep = this.#values.keys();

  /** A store whose time is that of a clock of milliseconds since the Unix epoch. */
  constructor(options: { clock?: Clock<number> } = {}) {
    this.#clock = options.clock ?? { now: () => performance.timeOrigin + performance.now(), isWall: true };
  }

  /** How many values are kept. */
  get size(): number {
    return this.#values.size;
  }

  async compareAndSet(entries: readonly Comparison[], asOfUs: number): Promise<Answer> {
    const nowUs = Math.floor(this.#clock.now() * 1000);
    const present = entries.map(({ key }) => this.#present(key, nowUs));
    const same = asOfUs <= nowUs && entries.every(({ seen }, index) => isSame(seen, present[index]!));
    if (!same) return { nowUs, present };
    for (const { key, write, keepMs } of entries) {
      if (write !== null) this.#values.set(key, { bytes: write, expiresUs: nowUs + keepMs * 1000 });
    }
    this.#forget(nowUs, 2 * entries.length);
    return { nowUs, present: null };
  }

  #present(key: string, nowUs: number): Uint8Array | null {
    const value = this.#values.get(key);
    return value !== undefined && value.expiresUs > nowUs ? value.bytes : null;
  }

  #forget(nowUs: number, most: number): void {
    for (let looked = 0; looked < most; looked += 1) {
      const { value: key, done } = this.#sweep.next();
      if (done === true) {
        this.#sweep = this.#values.keys();
        return;
      }
      if (this.#values.get(key)!.expiresUs <= nowUs) this.#values.delete(key);
    }
  }
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
