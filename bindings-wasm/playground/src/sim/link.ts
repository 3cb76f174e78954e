/** A setup as the part of an address after `#`, so that a link shows what its sender sees. */
import { DAY, PRESETS, type Setup, SPEEDS, VIEWS, WINDOWS } from "./setup";
import { BOUNDS, FIELDS, type Field, type Traffic, type TrafficKind } from "./traffic";

/** What a link says. */
export interface Linked {
  readonly setup: Setup;
  /** The moment at which it was made, in milliseconds since the beginning. */
  readonly at: number;
}

/** More than these make a link too long to send. */
const MOST_BY_HAND = 200;

/** The text of a link. */
export function encode({ setup, at }: Linked): string {
  const { traffic } = setup;
  const values = FIELDS[traffic.kind].map((field) =>
    String((traffic as unknown as Record<Field, number>)[field]),
  );
  const fields: Record<string, string> = {
    a: setup.limits[0],
    b: setup.limits[1],
    traffic: [traffic.kind, ...values].join(" "),
    cost: String(setup.cost),
    start: String(setup.start),
    view: String(setup.view),
    window: String(setup.window),
    speed: String(setup.speed),
    at: String(round(at)),
  };
  const hand = setup.hand.slice(-MOST_BY_HAND).map(([when, count]) => `${round(when)}x${count}`);
  if (hand.length > 0) fields["hand"] = hand.join(" ");
  return new URLSearchParams(fields).toString();
}

/** What a link says; what it leaves out, or says wrongly, is as in the first preset. */
export function decode(text: string): Linked {
  const fields = new URLSearchParams(text);
  const other = PRESETS[0]!.setup;
  const number = (name: string, least: number, most: number, otherwise: number): number =>
    bounded(Number(fields.get(name) ?? Number.NaN), least, most, otherwise);
  const oneOf = (name: string, choices: readonly number[], otherwise: number): number =>
    choices.find((choice) => choice === Number(fields.get(name))) ?? otherwise;
  const at = number("at", 0, Number.MAX_SAFE_INTEGER / 1e6, 0);
  return {
    at,
    setup: {
      limits: [fields.get("a") ?? other.limits[0], fields.get("b") ?? other.limits[1]],
      traffic: trafficOf(fields.get("traffic")) ?? other.traffic,
      cost: Math.round(number("cost", ...BOUNDS.cost, other.cost)),
      start: number("start", 0, DAY, 0),
      view: oneOf("view", VIEWS, other.view),
      window: oneOf("window", WINDOWS, other.window),
      speed: oneOf("speed", SPEEDS, other.speed),
      hand: byHand(fields.get("hand"), at),
    },
  };
}

function trafficOf(text: string | null): Traffic | undefined {
  const [kind, ...values] = (text ?? "").split(" ");
  if (!Object.hasOwn(FIELDS, kind!)) return undefined;
  const names = FIELDS[kind as TrafficKind];
  if (names.length !== values.length) return undefined;
  const traffic: Record<string, number | string> = { kind: kind! };
  for (const [index, name] of names.entries()) {
    const value = bounded(Number(values[index]), ...BOUNDS[name], Number.NaN);
    const isCount = name === "size" || name === "times";
    if (Number.isNaN(value) || (isCount && !Number.isInteger(value))) return undefined;
    traffic[name] = value;
  }
  return traffic as unknown as Traffic;
}

/** What was sent by hand before the moment of the link, in order. */
function byHand(text: string | null, at: number): [number, number][] {
  const sent = (text ?? "").split(" ").map((part) => part.split("x").map(Number) as [number, number]);
  return sent
    .filter(
      ([when, count]) =>
        when >= 0 && when <= at && Number.isInteger(count) && count >= 1 && count <= BOUNDS.size[1],
    )
    .slice(-MOST_BY_HAND)
    .sort(([one], [other]) => one - other);
}

function bounded(value: number, least: number, most: number, otherwise: number): number {
  return value >= least && value <= most ? value : otherwise;
}

/** To the nanosecond. */
function round(millis: number): number {
  return Math.round(millis * 1e6) / 1e6;
}
