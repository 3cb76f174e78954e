/** Limits in PostgreSQL. `docs/stores.md` of the core has the protocol. */
import schema from "../../../core/src/stored/scripts/schema.sql";
import { wrongType } from "./errors.js";
import type { Answer, Comparison, Store } from "./store.js";

/** As much of a `Pool` or `Client` of pg as is used. */
export interface PostgresClient {
  query(config: { text: string; values: unknown[]; name?: string; rowMode: "array" }): Promise<{ rows: unknown[][] }>;
  query(text: string): Promise<unknown>;
}

/** What a store in PostgreSQL may be made with. */
export interface PostgresStoreOptions {
  /** What all names begin with; `tokenweir:` unless given. */
  prefix?: string;
}

/** Options for `new Pool(…)` of pg, given the deadline in milliseconds: it fails in time, also the server's
 * part. */
export const postgresOptions = (deadlineMs = 50) =>
  ({
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    statement_timeout: deadlineMs,
  }) as const;

/** After how many writings expired rows are looked for. */
const SWEEP_EVERY = 500;
/** Among how many rows. */
const SWEEP_ROWS = 1_000;
/** Errors that say that others were in the way: of serialization, and a deadlock with other tables. */
const IN_THE_WAY = new Set(["40001", "40P01"]);

const ONE =
  "SELECT same, now_us, present FROM tokenweir_compare_and_set($1::text, $2::bytea, $3::bytea, $4::bigint, $5::bigint)";
const SEVERAL =
  "SELECT same, now_us, present FROM tokenweir_compare_and_set_all($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint)";
const SWEEP = "SELECT next, deleted FROM tokenweir_sweep($1::text, $2::integer)";

/**
 * A store in PostgreSQL, by a `Pool` or `Client` of pg.
 *
 * ```ts
 * const store = new PostgresStore(new Pool({ connectionString, ...postgresOptions() }));
 * await store.install(); // Once, or by your migrations: `PostgresStore.schema` is the SQL.
 * const limiter = new StoredLimiter(store, "100/s");
 * ```
 */
export class PostgresStore implements Store {
  /** The SQL that makes the table and the functions; it can be run again at any time. */
  static readonly schema: string = schema;
  readonly #client: PostgresClient;
  readonly #prefix: string;
  #writings = 0;
  #sweptTo = "";

  constructor(client: PostgresClient, options: PostgresStoreOptions = {}) {
    const { prefix = "tokenweir:" } = options;
    if (typeof client?.query !== "function") throw wrongType("client", "a Pool or Client of pg", client);
    if (typeof prefix !== "string") throw wrongType("prefix", "a string", prefix);
    this.#client = client;
    this.#prefix = prefix;
  }

  /** Makes the table and the functions, if they are not there. */
  async install(): Promise<void> {
    await this.#client.query(schema);
  }

  async compareAndSet(entries: readonly Comparison[], asOfUs: number): Promise<Answer> {
    try {
      return await this.#ask(entries, asOfUs);
    } catch (error) {
      if (!IN_THE_WAY.has(String((error as { code?: unknown }).code))) throw error;
      // Nothing was written. What is there now, which is not as it was seen if it cannot be told.
      const { nowUs, present } = await this.#ask(
        entries.map((entry) => ({ ...entry, write: null })),
        0,
      );
      return { nowUs, present: present ?? entries.map(({ seen }) => seen) };
    }
  }

  /** Deletes what has expired among the next 1 000 keys, and from the first again after the last; returns how
   * many. Happens by itself after every 500 writings. */
  async sweep(): Promise<number> {
    const { rows } = await this.#client.query({ text: SWEEP, values: [this.#sweptTo, SWEEP_ROWS], rowMode: "array" });
    const [next, deleted] = rows[0] as [string | null, string];
    this.#sweptTo = next ?? "";
    return Number(deleted);
  }

  async #ask(entries: readonly Comparison[], asOfUs: number): Promise<Answer> {
    const isOne = entries.length === 1;
    const columns = [
      entries.map(({ key }) => this.#prefix + key),
      entries.map(({ seen }) => bufferOf(seen)),
      entries.map(({ write }) => bufferOf(write)),
      entries.map(({ keepMs }) => keepMs),
    ];
    const values = [...(isOne ? columns.map(([value]) => value) : columns), asOfUs];
    const text = isOne ? ONE : SEVERAL;
    const name = isOne ? "tokenweir_one" : "tokenweir_several";
    const { rows } = await this.#client.query({ text, values, name, rowMode: "array" });
    const [same, nowUs, present] = rows[0] as [boolean, string | number | bigint, unknown];
    if (same && entries.some(({ write }) => write !== null)) this.#written();
    const found = isOne ? [present] : (present as unknown[]);
    return { nowUs: Number(nowUs), present: same ? null : found.map(valueOf) };
  }

  /** Nobody waits for a sweep: should it fail, a later one will do. */
  #written(): void {
    this.#writings += 1;
    if (this.#writings % SWEEP_EVERY === 0) this.sweep().catch(() => {});
  }
}

function bufferOf(value: Uint8Array | null): Buffer | null {
  return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function valueOf(value: unknown): Uint8Array | null {
  return value === null || value === undefined ? null : new Uint8Array(value as Uint8Array);
}
