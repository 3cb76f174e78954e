/** Waiting by a clock. */
import * as http from "../../http.js";
import type { Clock } from "../../index.js";

/** Waits for a number of milliseconds, unless the signal is aborted before: then its reason is thrown. */
export async function sleep(clock: Clock<number>, millis: number, signal: AbortSignal | undefined): Promise<void> {
  const until = clock.now() + millis;
  // What a timer cannot hold is waited for in parts.
  for (let left = millis; left > 0; left = until - clock.now()) {
    await timer(clock, http.timerMillis(left), signal);
  }
}

function timer(clock: Clock<number>, millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      cancel();
      reject(signal!.reason);
    };
    const cancel = set(clock, millis, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}

function set(clock: Clock<number>, millis: number, callback: () => void): () => void {
  if (clock.setTimer !== undefined) return clock.setTimer(callback, millis);
  const timer = setTimeout(callback, millis);
  return () => clearTimeout(timer);
}
