/** What a store has to do: one operation. `docs/stores.md` of the core says how it is used. */

/** A key of a compare-and-set. */
export interface Comparison {
  /** The caller's key; a prefix is for the store to add. */
  readonly key: string;
  /** The value last seen; `null` for none. */
  readonly seen: Uint8Array | null;
  /** The value to write; `null` to leave what is there. */
  readonly write: Uint8Array | null;
  /** How long to keep what is written, in milliseconds: at least 1. */
  readonly keepMs: number;
}

/** The answer of a compare-and-set. */
export interface Answer {
  /** The store's time, in whole microseconds since the Unix epoch. */
  readonly nowUs: number;
  /** `null` if every value was as last seen and all was written. Otherwise nothing was written, and these are
   * the present values, in the order of the keys; `null` for none. */
  readonly present: readonly (Uint8Array | null)[] | null;
}

/**
 * Where values are kept that several processes share.
 *
 * {@link conformance} checks a store of your own.
 */
export interface Store {
  /**
   * Writes the values of all keys if every one is as last seen and the store's clock has reached `asOfUs`;
   * otherwise writes nothing. A value whose time to keep is over is none.
   *
   * Compares and writes as one: nobody else writes in between. Rejects if the store cannot be
   * reached or refuses, never with a guess.
   */
  compareAndSet(entries: readonly Comparison[], asOfUs: number): Promise<Answer>;
  /** Throws if these keys cannot be written as one. */
  checkKeys?(keys: readonly string[]): void;
}
