/** Those who wait by each signal: it has one listener, however many they are. */
const waiting = new Map<AbortSignal, Set<(reason: unknown) => void>>();

/** Has `leave` called when the signal is aborted; returns what prevents it. */
export function onAbort(signal: AbortSignal, leave: (reason: unknown) => void): () => void {
  const leavers = waiting.get(signal) ?? listen(signal);
  leavers.add(leave);
  return () => {
    leavers.delete(leave);
    if (leavers.size === 0 && waiting.get(signal) === leavers) {
      waiting.delete(signal);
      signal.removeEventListener("abort", abort);
    }
  };
}

function listen(signal: AbortSignal): Set<(reason: unknown) => void> {
  const leavers = new Set<(reason: unknown) => void>();
  waiting.set(signal, leavers);
  signal.addEventListener("abort", abort, { once: true });
  return leavers;
}

function abort(event: Event): void {
  const signal = event.target as AbortSignal;
  const leavers = waiting.get(signal);
  waiting.delete(signal);
  leavers?.forEach((leave) => leave(signal.reason));
}
