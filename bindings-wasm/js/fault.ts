import { At, engine, integer } from "./engine.js";
import { errorOf } from "./errors.js";

/** The number of a call, unless it failed. */
export function checked(result: number, argument?: string): number {
  if (result === -1) throw fault(argument);
  return result;
}

/** The error of the call that has just failed, whose amount or time is called `argument` in it. */
function fault(argument?: string): Error {
  return errorOf(engine.faultText(), argument, integer(At.result));
}
