import { typeError } from "./errors.js";

/** What becomes of the tokens when limits are replaced: see `update` and `replace`. */
export type Inheritance = "as-is" | "proportional" | "additive" | "reset";
const INHERITANCES: readonly Inheritance[] = ["as-is", "proportional", "additive", "reset"];

/** The number of an inheritance. */
export function inheritanceNumber(inheritance: Inheritance): number {
  const number = INHERITANCES.indexOf(inheritance);
  if (number < 0) {
    throw typeError("inheritance", INHERITANCES.map((name) => `"${name}"`).join(", "), inheritance);
  }
  return number;
}
