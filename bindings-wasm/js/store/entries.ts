import type * as stored from "../stored.js";
import type { Values } from "./link.js";

/** A command that waits for its turn. */
export interface Pending {
  readonly command: stored.Command;
  /** Is told the outcome, which may be an error of this command alone. */
  readonly decided: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What this process knows of a key, and who waits for it. */
export class Entry implements Values {
  /** The value last seen, or written. */
  value: Uint8Array | null = null;
  /** When it was there, by the local clock; never seen if in the infinite past. */
  seenAt = -Infinity;
  /** Commands for the next request. */
  waiting: Pending[] = [];
  /** Decisions over several keys that want this one to themselves. */
  readonly turns: (() => void)[] = [];
  /** Whether a request is under way. */
  isBusy = false;

  constructor(readonly key: string) {}

  /** Whether nobody uses it. */
  get isIdle(): boolean {
    return !this.isBusy && this.waiting.length === 0 && this.turns.length === 0;
  }

  seen(): readonly (Uint8Array | null)[] {
    return [this.value];
  }

  learn([value]: readonly (Uint8Array | null)[], at: number): void {
    this.value = value!;
    this.seenAt = at;
  }

  /** Trusts the value no longer: whether another was written is not known. */
  forget(): void {
    this.seenAt = -Infinity;
  }
}

/** What this process knows of keys, at most of a number of them: the others have to be read again. */
export class Entries {
  readonly #entries = new Map<string, Entry>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many keys are known. */
  get size(): number {
    return this.#entries.size;
  }

  /** The entry of a key. */
  of(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#most) this.#makeRoom();
    const entry = new Entry(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Gives up one of the oldest, unless they are in use: then there is one more for a while. */
  #makeRoom(): void {
    let looked = 0;
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (entry.isIdle) return;
      this.#entries.set(key, entry);
      if ((looked += 1) === 64) return;
    }
  }
}
