/** What a service says of its limits over HTTP, and what a client makes of it. No I/O. */
import { amountPart, answer, ask, bytesOf, bytesPart, optionalText, text, timeOf, timePart } from "./ask.js";
import { typeError } from "./errors.js";
import type { LimitInfo } from "./limits.js";
import type { Standing } from "./subject.js";
import type { Amount, Kind, Time } from "./time.js";

/** What can be asked; `engine/src/ask/mod.rs` has the same numbers. */
const Ask = { Policy: 0, Fields: 1, Problem: 2, Received: 3, Date: 4, Address: 5, Timer: 6 } as const;

/** The name of the media type of {@link problem}. */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
/** The status of a refusal. */
export const TOO_MANY_REQUESTS = 429;

/** Which fields are sent: those of the current draft, of its revision 7, the three of revision 6, the
 * three that begin with `X-`, or none but `Retry-After`. */
export type Style = "draft" | "draft-7" | "legacy" | "x-ratelimit" | "none";

/** A limit as it is announced. */
export interface Policy {
  /** What it is called: printable ASCII. */
  name: string;
  /** How much it allows. */
  quota: Amount;
  /** In how long; sent in whole seconds. */
  window?: Time;
  /** What it counts; requests unless given. */
  unit?: string;
  /** Whose it is. */
  partitionKey?: Uint8Array;
}

/** How a limit stands at a reply, and as what it is announced. */
export interface Quota extends Standing {
  policy: Policy;
}

function policyParts(policy: Policy) {
  return [
    text(policy.name, "policy"),
    amountPart(policy.quota, "quota"),
    policy.window === undefined ? undefined : timePart(policy.window, "window"),
    policy.unit === undefined ? undefined : text(policy.unit, "unit"),
    bytesPart(policy.partitionKey),
  ];
}

const quotaParts = (quota: Quota) => [
  ...policyParts(quota.policy),
  amountPart(quota.remaining, "remaining"),
  timePart(quota.reset, "reset"),
  timePart(quota.retryAfter, "retryAfter"),
  timePart(quota.effectiveWindow, "effectiveWindow"),
];

/**
 * The limits as they are announced, each with the time in which its whole quota comes back. A limit is called
 * by its name, or else by its text; after the `scope`, which tells the limits of several limiters apart.
 *
 * ```ts
 * const decision = limiter.check(2);
 * const standing = limiter.demand(2).standing(decision);
 * const quotas = policies(limiter.limits).map((policy, index) => ({ policy, ...standing[index]! }));
 * const reply = fields("draft", quotas);
 * ```
 */
export function policies(limits: { describe(): readonly LimitInfo[] }, scope = ""): Policy[] {
  return limits.describe().map(({ name, quota, windowMs }) => {
    const policy = {
      name: scope === "" ? name : `${scope} ${name}`,
      quota: BigInt(quota),
      ...(windowMs !== Infinity && { window: windowMs }),
    };
    checkPolicy(policy);
    return policy;
  });
}

/** Checks that a policy can be sent. */
export function checkPolicy(policy: Policy): void {
  answer("http", Ask.Policy, policyParts(policy));
}

/** The fields of a reply, each once: names and values. */
export function fields(style: Style, quotas: readonly Quota[]): [name: string, value: string][] {
  const groups = ask("http", Ask.Fields, [text(style, "style")], quotas.map(quotaParts)).slice(1);
  return groups.map(([name, value]) => [name!, value!]);
}

/** The body of a refusal, by RFC 9457. */
export function problem(quotas: readonly Quota[], detail?: string): string {
  return answer("http", Ask.Problem, [optionalText(detail, "detail")], quotas.map(quotaParts));
}

/** A limit that a service told of. */
export interface ServiceLimit<T extends Time = number> {
  name?: string;
  limit?: bigint;
  remaining?: bigint;
  /** How long until it is full. */
  reset?: T;
  partitionKey?: Uint8Array;
}

/** What the fields of a reply say. */
export interface Received<T extends Time = number> {
  /** What to make of them: nothing is known, a call may be made, or not before an instant. */
  advice: "unknown" | "may_call" | { notBefore: T };
  /** How long `Retry-After` asks to wait. */
  retryAfter?: T;
  policies: { name: string; quota: bigint; windowSeconds?: bigint; unit?: string; partitionKey?: Uint8Array }[];
  limits: ServiceLimit<T>[];
}

/**
 * Reads the fields of a reply that arrives at `now`, which counts from the Unix epoch. What is malformed
 * is ignored.
 *
 * Times are of the kind of `now`: numbers of milliseconds, or bigints of nanoseconds.
 */
export function received<T extends Time>(
  reply: Iterable<readonly [string, string]>,
  now: T,
): Received<Kind<T>> {
  const exact = typeof now === "bigint";
  const lines = [...reply].filter(([name]) => FIELDS.has(name.toLowerCase()));
  const groups = ask("http", Ask.Received,
    [timePart(now, "now")],
    lines.map(([name, value]) => [name, text(value, name)]),
  );
  const [retryAfter, advice] = groups[0]!;
  const result: Received<Kind<T>> = {
    advice: advice === "unknown" || advice === "may_call" ? advice : { notBefore: timeOf<Kind<T>>(advice!, exact) },
    policies: [],
    limits: [],
  };
  if (retryAfter !== "") result.retryAfter = timeOf<Kind<T>>(retryAfter!, exact);
  for (const [kind, ...parts] of groups.slice(1)) {
    if (kind === "policy") {
      const [name, quota, window, unit, key] = parts as [string, string, string, string, string];
      result.policies.push({
        name,
        quota: BigInt(quota),
        ...(window !== "" && { windowSeconds: BigInt(window) }),
        ...(unit !== "" && { unit }),
        ...(key !== "" && { partitionKey: bytesOf(key.slice(1)) }),
      });
    } else {
      const [name, limit, remaining, reset, key] = parts as [string, string, string, string, string];
      result.limits.push({
        ...(name !== "" && { name: name.slice(1) }),
        ...(limit !== "" && { limit: BigInt(limit) }),
        ...(remaining !== "" && { remaining: BigInt(remaining) }),
        ...(reset !== "" && { reset: timeOf<Kind<T>>(reset, exact) }),
        ...(key !== "" && { partitionKey: bytesOf(key.slice(1)) }),
      });
    }
  }
  return result;
}

/** The fields that are read. */
const FIELDS = new Set(
  ["", "-limit", "-remaining", "-reset"]
    .flatMap((part) => [`ratelimit${part}`, `x-ratelimit${part}`])
    .concat("ratelimit-policy", "retry-after", "date", "age"),
);

/** The instant of an HTTP-date in its three forms; `null` if the text is none. Of the kind of
 * `now`. */
export function parseDate<T extends Time>(date: string, now: T): Kind<T> | null {
  const [[instant]] = ask("http", Ask.Date, [timePart(now, "now"), text(date, "date")]) as [[string]];
  return instant === "" ? null : timeOf<Kind<T>>(instant, typeof now === "bigint");
}

/** By what the address of a client is told. */
export interface AddressOptions {
  /** How many proxies stand in front, whose entries are believed; 0 unless given. */
  trustedProxies?: number;
  /** Which field they write; `x-forwarded-for` unless given. */
  field?: string;
  /** How much of an IPv6 address is one client: 32 to 128 bits; 64 unless given. */
  ipv6Prefix?: number;
}

/** Tells clients apart by address. */
export class ClientAddress {
  /** The name of the field that is read, in lower case. */
  readonly field: string;
  readonly #parts: readonly [bigint, string | undefined, bigint | undefined];

  constructor(options: AddressOptions = {}) {
    const { trustedProxies = 0, field, ipv6Prefix } = options;
    this.#parts = [
      amountPart(trustedProxies, "trustedProxies"),
      optionalText(field, "field"),
      ipv6Prefix === undefined ? undefined : amountPart(ipv6Prefix, "ipv6Prefix"),
    ];
    this.field = ask("http", Ask.Address, [...this.#parts, ""])[0]![0]!;
  }

  /** The key of whoever is at `peer`, the other end of the connection, given the lines of the field. */
  key(peer: string, lines: string | readonly string[] | undefined = []): string {
    const list = typeof lines === "string" ? [lines] : lines;
    if (!Array.isArray(list)) throw typeError("lines", "a string or an array of them", lines);
    return ask("http", Ask.Address, [...this.#parts, text(peer, "peer"), ...list.map((line) => text(line, "lines"))])[0]![1]!;
  }
}

/** A wait as what a timer takes: whole milliseconds, rounded up, at most 2^31 − 1. */
export function timerMillis(wait: Time): number {
  return Number(ask("http", Ask.Timer, [timePart(wait, "wait")])[0]![0]);
}
