/** What services have said of when they may be called. */
import * as http from "../../http.js";
import type { Clock } from "../../index.js";

/** How many services are remembered. */
const MOST = 10_000;

/** Until when each service refuses. */
export class Services {
  readonly #clock: Clock<number>;
  readonly #unixTime: () => number;
  /** The instant before which a service is not to be called. */
  readonly #notBefore = new Map<string, number>();

  constructor(clock: Clock<number>, unixTime: () => number) {
    this.#clock = clock;
    this.#unixTime = unixTime;
  }

  /** How long a service refuses from now on, in milliseconds; 0 if nothing is known. */
  wait(service: string): number {
    const instant = this.#notBefore.get(service);
    if (instant === undefined) return 0;
    const wait = instant - this.#clock.now();
    if (wait > 0) return wait;
    this.#notBefore.delete(service);
    return 0;
  }

  /** Takes in what a reply says; returns how long it asks to wait, in milliseconds. */
  learn(service: string, reply: Response): number {
    const now = this.#unixTime();
    const { advice } = http.received(reply.headers, now);
    if (typeof advice === "string") return 0;
    const wait = advice.notBefore - now;
    this.#remember(service, this.#clock.now() + wait);
    return wait;
  }

  #remember(service: string, instant: number): void {
    // A reply to an earlier call may say less than is known since.
    const known = this.#notBefore.get(service) ?? instant;
    this.#notBefore.delete(service);
    if (this.#notBefore.size >= MOST) this.#notBefore.delete(this.#notBefore.keys().next().value!);
    this.#notBefore.set(service, Math.max(known, instant));
  }
}
