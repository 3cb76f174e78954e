/** Reads and replays away from the page, which stays responsive; the file does not leave the browser. */
import type { Key } from "./parse";
import { type Log, read } from "./read";
import { type Outcome, replay } from "./replay";

/** What the page asks for. */
export interface Order {
  readonly id: number;
  /** Which file: one that has been read is not read again. */
  readonly file: number;
  readonly blob: Blob;
  readonly key: Key;
  readonly limits: string;
}

/** What it is told. */
export type Report = { readonly id: number } & (
  | { readonly type: "progress"; readonly bytes: number }
  | { readonly type: "outcome"; readonly outcome: Outcome }
  | { readonly type: "failed"; readonly message: string }
);

/** The log that is being read, or was. */
let current: { file: number; key: Key; log: Promise<Log> } | undefined;
/** The order whose outcome is wanted; those before it are overtaken. */
let newest = 0;

const tell = (report: Report): void => globalThis.postMessage(report);

/** Progress is told no more often than it can be seen. */
const EACH = 1 << 20;

async function carryOut({ id, file, blob, key, limits }: Order): Promise<void> {
  newest = id;
  try {
    if (current?.file !== file || current.key !== key) {
      let told = 0;
      const log = read(blob, key, (bytes) => {
        if (bytes - told < EACH) return;
        told = bytes;
        tell({ id: newest, type: "progress", bytes });
      });
      current = { file, key, log };
    }
    const log = await current.log;
    if (id !== newest) return;
    if (log.times.length === 0) tell({ id, type: "failed", message: nothing(log) });
    else tell({ id, type: "outcome", outcome: replay(log, limits) });
  } catch (error) {
    // The next order reads it again.
    current = undefined;
    tell({ id, type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

function nothing({ firstBad }: Log): string {
  return firstBad === undefined
    ? "The file is empty."
    : `There is no request in Common or Combined Log Format; line ${firstBad.line}: ${firstBad.problem}.`;
}

globalThis.addEventListener("message", (event: MessageEvent<Order>) => void carryOut(event.data));
