/** Numbers and times in words. */
import { DAY, HOUR, MINUTE } from "../sim/setup";

const NUMBER = new Intl.NumberFormat("en");

export function count(value: number): string {
  return NUMBER.format(value);
}

/** "1 request", "2 requests". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A wait, rounded up to what is shown. */
export function wait(millis: number): string {
  if (millis === Infinity) return "never";
  if (millis > 0 && millis < 1) return `${Math.ceil(millis * 1_000)} µs`;
  const whole = Math.ceil(millis);
  if (whole < 1_000) return `${whole} ms`;
  const tenths = Math.ceil(millis / 100);
  if (tenths < 600) return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)} s`;
  const seconds = Math.ceil(millis / 1_000);
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.ceil(millis / MINUTE);
  return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function joined(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** A length of time that is a whole number of something. */
export function span(millis: number): string {
  if (millis >= DAY && millis % DAY === 0) return millis === DAY ? "1 day" : `${millis / DAY} days`;
  if (millis >= HOUR && millis % HOUR === 0) return `${millis / HOUR} h`;
  if (millis >= MINUTE && millis % MINUTE === 0) return `${millis / MINUTE} min`;
  return millis >= 1_000 ? `${millis / 1_000} s` : `${millis} ms`;
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");

/** An instant of a run: the time of day if it begins at one, otherwise the time since the beginning. */
export function instant(millis: number, start: number): string {
  if (start > 0) {
    const at = start + millis;
    const day = Math.floor(at / DAY);
    return `day ${day + 1}, ${two((at % DAY) / HOUR)}:${two((at % HOUR) / MINUTE)}`;
  }
  const minutes = Math.floor(millis / MINUTE);
  const rest = (Math.floor(millis / 10) % 6_000) / 100;
  return minutes >= 60
    ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(rest)}`
    : `${minutes}:${rest.toFixed(2).padStart(5, "0")}`;
}

/** The same for the axis of a chart, as short as its steps allow. */
export function tick(millis: number, start: number, step: number): string {
  if (start > 0) return `${two(((start + millis) % DAY) / HOUR)}:${two(((start + millis) % HOUR) / MINUTE)}`;
  if (step >= HOUR) return `${Math.round(millis / HOUR)} h`;
  if (step >= MINUTE) return `${Math.round(millis / MINUTE)} min`;
  const seconds = Math.round(millis / 100) / 10;
  return `${seconds} s`;
}
