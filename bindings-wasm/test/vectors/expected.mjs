// How many scenarios and steps run: a file that is skipped, or a reader that stops early, changes these.
export const EXPECTED = {
  // Left out: another library's bytes.
  buckets: { scenarios: 866, steps: 18_941, foreignBytes: 3 },
  // Left out: how many threads wait.
  cycles: { scenarios: 506, steps: 13_091, waitingThreads: 1 },
  http: {
    styles: 3,
    policy_errors: 8,
    fields: 21,
    services: 3,
    advice: 69,
    malformed: 4,
    dates: 54,
    addresses: 48,
    address_errors: 8,
    backoff: 15,
    backoff_errors: 17,
    timers: 7,
  },
};
