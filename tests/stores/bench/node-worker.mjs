// One of several processes that use one key: prints how many decisions it made, and how many were grants.
//
//   node node-worker.mjs SUBJECT PORTS BINDS SECONDS
//
// Says that it is ready, and begins when it is told to, so that all begin together.
import { once } from "node:events";
import { SUBJECTS } from "./node-subjects.mjs";

const [name, ports, binds, seconds] = process.argv.slice(2);
const decide = await SUBJECTS[name](JSON.parse(ports), binds === "true");
await decide("hot");
console.log("ready");
await once(process.stdin, "data");
const end = performance.now() + Number(seconds) * 1_000;
let decisions = 0;
let grants = 0;
while (performance.now() < end) {
  if (await decide("hot")) grants += 1;
  decisions += 1;
  // An answer without a request leaves no turn to others.
  if (decisions % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
}
console.log(JSON.stringify({ decisions, grants }));
process.exit(0);
