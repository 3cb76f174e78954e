// How many scenarios and steps run: a file that is skipped, or a reader that stops early, changes these.
export const EXPECTED = {
  bucketScenarios: 866,
  // Left out: a store's commands, which run through the stored state, and another library's bytes.
  buckets: { scenarios: 863, steps: 18_922, remote: 3, foreignBytes: 3 },
  // Left out: how many threads wait.
  cycles: { scenarios: 506, steps: 13_091, waitingThreads: 1 },
};
