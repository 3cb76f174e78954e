/** A web server's log in Common or Combined Log Format, line by line:
 * `client identity user [day/month/year:hour:minute:second zone] "request" status size …` */

/** What has limits of its own. */
export type Key = "client" | "path" | "status" | "all";

export interface Request {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly key: string;
}

/** The request of a line, or what is wrong with it. */
export function parse(line: string, key: Key): Request | string {
  const open = line.indexOf(" [");
  if (open < 0) return "no time in brackets";
  const client = line.slice(0, open).split(" ", 1)[0]!;
  if (client === "") return "no client before the time";
  const close = line.indexOf("]", open);
  if (close < 0) return "no end of the time";
  const at = instant(line.slice(open + 2, close));
  if (at === undefined) return "the time is not one, such as 17/May/2015:10:05:03 +0000";
  const rest = line.slice(close + 1).trimStart();
  if (!rest.startsWith('"')) return "no request in quotes";
  const end = closingQuote(rest);
  if (end < 0) return "no end of the request";
  const status = /^\s*(\S*)/.exec(rest.slice(end + 1))![1]!;
  if (!/^[0-9]{3}$/.test(status)) return "no status after the request";
  switch (key) {
    case "client":
      return { at, key: client };
    case "path":
      return { at, key: path(rest.slice(1, end)) };
    case "status":
      return { at, key: status };
    case "all":
      return { at, key: "all requests" };
  }
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = /^(\d{1,2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2}):?(\d{2})$/;

function instant(text: string): number | undefined {
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const month = MONTHS.indexOf(found[2]!);
  const [day, year, hour, minute, second, hours, minutes] = [1, 3, 4, 5, 6, 8, 9].map((at) =>
    Number(found[at]),
  ) as Seven;
  const local = Date.UTC(year, month, day, hour, minute, second);
  // What is no date, such as the 31st of April, becomes another one.
  const isReal =
    month >= 0 && new Date(local).getUTCDate() === day && hour < 24 && minute < 60 && second < 61;
  const zone = (found[7] === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return isReal && local - zone >= 0 ? local - zone : undefined;
}

type Seven = [number, number, number, number, number, number, number];

/** Where the text in quotes ends; `\` makes the next character a plain one. */
function closingQuote(text: string): number {
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index;
  }
  return -1;
}

/** `GET /path?query HTTP/1.1`: the path without the query. */
function path(asked: string): string {
  const target = asked.split(" ")[1] ?? asked;
  return target.split(/[?#]/, 1)[0]!;
}
