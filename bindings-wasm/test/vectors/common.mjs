// Reading the recorded scenarios. Nothing here is Node's own: a browser runs them as well.

/** What is added to a recorded instant, which is signed; ours start at 0. */
export const SHIFT = 1n << 63n;

/** An integer, written as a number or as a decimal string. */
export const integer = (value) => BigInt(value);

/** A recorded instant in nanoseconds of ours. */
export const shifted = (value) => integer(value) + SHIFT;

/** What a step must answer. */
export const expected = (step) => (Object.hasOwn(step, "expect") ? step.expect : step.result);

/** The code of the error that `f` throws, in the form of the files; or what it returns. */
export function attempt(f) {
  try {
    return f();
  } catch (error) {
    if (typeof error.code !== "string") throw error;
    return { error: error.code };
  }
}

/** A value as JSON has it: bigints as text. */
export function written(value) {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? item.toString() : item));
}

/** Throws unless both are written alike. */
export function same(found, wanted, where) {
  const [a, b] = [sorted(found), sorted(wanted)].map(written);
  if (a !== b) throw new Error(`${where()}\n  answered ${a}\n  expected ${b}`);
}

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.entries(value).sort().map(([key, item]) => [key, sorted(item)]));
}
