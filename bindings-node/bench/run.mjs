// Measures one subject, named by the first argument: prints the nanoseconds of a call, of the fastest of
// some rounds.
import { SUBJECTS } from "./subjects.mjs";

const subject = await SUBJECTS[process.argv[2]]();
const CALLS = subject.calls ?? 200_000;
let call = 0;

async function round() {
  const started = process.hrtime.bigint();
  let last;
  for (let index = 0; index < CALLS; index += 1) last = subject((call += 1));
  // A subject that promises has kept its promises before the time is taken.
  await last;
  return Number(process.hrtime.bigint() - started) / CALLS;
}

let fastest = Infinity;
for (let index = 0; index < 12; index += 1) fastest = Math.min(fastest, await round());
console.log(fastest);
process.exit();
