import type { Clock } from "../index.js";

/** The longest delay that timers know, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** Waits for a number of milliseconds by a clock; rejects with the signal's reason when it is aborted. */
export function sleep(clock: Clock<number>, millis: number, signal?: AbortSignal): Promise<void> {
  const until = clock.now() + millis;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    let cancel = () => {};
    const leave = () => {
      cancel();
      reject(signal!.reason);
    };
    const look = () => {
      const left = until - clock.now();
      if (left > 0) {
        cancel = timer(clock, look, Math.min(Math.max(Math.ceil(left), 1), LONGEST));
        return;
      }
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    signal?.addEventListener("abort", leave, { once: true });
    look();
  });
}

function timer(clock: Clock<number>, callback: () => void, millis: number): () => void {
  if (clock.setTimer !== undefined) return clock.setTimer(callback, millis);
  const handle = setTimeout(callback, millis);
  return () => clearTimeout(handle);
}
