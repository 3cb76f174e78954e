/** By what requests are told apart. */
import * as http from "../http.js";
import type { Eventual } from "./limiters.js";

/** What an adapter knows of a request, whatever the framework. */
export interface RequestView {
  /** What lasts as long as the request, and is of no other. */
  readonly carrier: object;
  /** The address of the other end of the connection. */
  peer(): string;
  /** The lines of a field, by its name in lower case. */
  lines(name: string): string | readonly string[] | undefined;
}

/** Tells whose a request is; `undefined` if it cannot. Those of different functions differ, so that no user is
 * taken for an address. */
export type Key<R> = (request: R, view: RequestView) => Eventual<string | undefined>;

/**
 * By the client's address. A field of forwarded addresses is believed only from the proxies that are said
 * to be there; IPv6 addresses of one /64 are one client unless told otherwise. Where there is no address, as
 * behind a Unix socket without such a field, all clients are one.
 *
 * ```ts
 * rateLimit({ limiter, key: clientAddress({ trustedProxies: 1 }) });
 * ```
 */
export function clientAddress(options: http.AddressOptions = {}): Key<unknown> {
  const address = new http.ClientAddress(options);
  return (_, view) => `address:${address.key(view.peer(), view.lines(address.field))}`;
}

/** By a field that identifies the caller. Only for keys that have been checked before: who makes one up has a
 * limit of its own. */
export function apiKey(field = "x-api-key"): Key<unknown> {
  const name = field.toLowerCase();
  return (_, view) => {
    const lines = view.lines(name);
    const value = typeof lines === "string" ? lines : lines?.join(", ");
    return value ? `key:${value}` : undefined;
  };
}

/** By whoever has signed in, whom the service knows. */
export function user<R>(identify: (request: R) => Eventual<string | number | null | undefined>): Key<R> {
  return async (request) => {
    const id = await identify(request);
    return id === undefined || id === null || id === "" ? undefined : `user:${id}`;
  };
}
