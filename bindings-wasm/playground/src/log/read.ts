/** Reads a log piece by piece, so that its size is bounded by its requests only. */
import { type Key, parse } from "./parse";

/** A log: the instants of its requests, in order, and the key of each. */
export interface Log {
  /** Milliseconds since the Unix epoch. */
  readonly times: Float64Array;
  /** Which of the keys. */
  readonly owners: Uint32Array;
  readonly keys: readonly string[];
  /** How many lines were no requests, and the first of them. */
  readonly bad: number;
  readonly firstBad: { readonly line: number; readonly problem: string } | undefined;
}

/** Reads all of a file, telling how many bytes have been read. */
export async function read(file: Blob, key: Key, progress: (bytes: number) => void): Promise<Log> {
  const collected = new Collector(key);
  // Clients send what they like: bytes that are no text do not make a line bad.
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  let rest = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) {
      bytes += value.byteLength;
      progress(bytes);
    }
    const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = done ? "" : lines.pop()!;
    for (const line of lines) collected.add(line);
    if (done) return collected.finish();
  }
}

class Collector {
  readonly #numbers = new Map<string, number>();
  #times = new Float64Array(1 << 14);
  #owners = new Uint32Array(1 << 14);
  #count = 0;
  #line = 0;
  #bad = 0;
  #firstBad: Log["firstBad"];
  #isSorted = true;

  constructor(readonly key: Key) {}

  add(line: string): void {
    this.#line += 1;
    if (line.trim() === "") return;
    const request = parse(line, this.key);
    if (typeof request === "string") {
      this.#bad += 1;
      this.#firstBad ??= { line: this.#line, problem: request };
      return;
    }
    let owner = this.#numbers.get(request.key);
    if (owner === undefined) {
      owner = this.#numbers.size;
      this.#numbers.set(request.key, owner);
    }
    if (this.#count === this.#times.length) this.#grow();
    if (this.#count > 0 && request.at < this.#times[this.#count - 1]!) this.#isSorted = false;
    this.#times[this.#count] = request.at;
    this.#owners[this.#count] = owner;
    this.#count += 1;
  }

  finish(): Log {
    let times = this.#times.slice(0, this.#count);
    let owners = this.#owners.slice(0, this.#count);
    if (!this.#isSorted) {
      // Servers write a request when it ends, with the time at which it began.
      const order = Uint32Array.from(times.keys()).sort(
        (one, other) => times[one]! - times[other]! || one - other,
      );
      [times, owners] = [
        Float64Array.from(order, (at) => times[at]!),
        Uint32Array.from(order, (at) => owners[at]!),
      ];
    }
    return { times, owners, keys: [...this.#numbers.keys()], bad: this.#bad, firstBad: this.#firstBad };
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#times.length);
    const owners = new Uint32Array(2 * this.#owners.length);
    times.set(this.#times);
    owners.set(this.#owners);
    this.#times = times;
    this.#owners = owners;
  }
}
