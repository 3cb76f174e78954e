import type { Amount, Decision, Limits } from "../index.js";
import * as stored from "../stored.js";
import { Entries, type Entry, type Pending } from "./entries.js";
import { checkedKey } from "./errors.js";
import { type Attempt, type Link, nanos } from "./link.js";
import type { SharedDecision } from "./policy.js";

/** What is wanted under each key. */
export type Wanted = stored.Desired & { readonly limits: Limits };

/**
 * The requests of a limiter: one at a time for each key. What comes while one is under way waits for the next,
 * which decides for all of them.
 */
export class Flights {
  readonly #link: Link;
  readonly #entries: Entries;
  readonly #recheckMs: number;
  readonly #desired: () => Wanted;

  /** At most `maxKeys` keys are remembered; what was seen of one is trusted for `recheckMs`. */
  constructor(link: Link, maxKeys: number, recheckMs: number, desired: () => Wanted) {
    this.#link = link;
    this.#entries = new Entries(maxKeys);
    this.#recheckMs = recheckMs;
    this.#desired = desired;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** What is known of a key. */
  entry(key: string): Entry {
    return this.#entries.of(key);
  }

  /** A decision about a key. */
  decision(key: string, cost: Amount, type: "check" | "peek"): Promise<SharedDecision> {
    const quick = type === "check" ? this.#quickly(key, cost) : undefined;
    return quick ?? this.#enqueue(key, { type, cost }, shared);
  }

  /** Runs a command in the next request for its key. Throws if it is a misuse. */
  submit<R>(key: string, command: stored.Command): Promise<R> {
    return this.#enqueue<R, R>(key, command, (outcome) => outcome);
  }

  #enqueue<O, R>(key: string, command: stored.Command, result: (outcome: O) => R): Promise<R> {
    stored.checkCommand(command);
    const entry = this.#entries.of(checkedKey(key));
    const outcome = entry.isIdle && !isQuestion(command) ? this.#locally(entry, command) : undefined;
    return new Promise<R>((resolve, reject) => {
      const decided = (outcome: unknown) => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(result(outcome as O));
      };
      if (outcome !== undefined) {
        decided(outcome);
        return;
      }
      entry.waiting.push({ command, decided, reject });
      this.next(entry);
    });
  }

  /** A check of a key that nobody else waits for, which is what most calls are; `undefined` where it has to
   * be asked as other commands are. What can be is done while the store is at work. */
  #quickly(key: string, cost: Amount): Promise<SharedDecision> | undefined {
    const nowUs = this.#link.nowUs();
    if (typeof cost !== "number" || nowUs === undefined) return undefined;
    const entry = this.#entries.of(checkedKey(key));
    if (!entry.isIdle) return undefined;
    const desired = this.#desired();
    const { quick } = stored.native;
    if (quick === undefined) return undefined;
    const step = quick.check(entry.value, desired, nowUs, cost);
    if (step === undefined) return undefined;
    if (step.write === null) {
      if (!this.isFresh(entry)) return undefined;
      this.#link.counts.localRefusals += 1;
      return Promise.resolve(shared(quick.decision(step, desired.limits)));
    }
    entry.isBusy = true;
    const comparison = { key, seen: entry.value, write: step.write, keepMs: step.keepMs };
    let decision: SharedDecision;
    let isAlone = true;
    const { deadlineMs } = this.#link.guard;
    const asked = this.#link.ask<SharedDecision>([comparison], entry, nowUs, deadlineMs, (same) => {
      isAlone = false;
      if (!same) return this.#again(entry, cost);
      this.#landed(entry);
      return decision;
    });
    decision = shared(quick.decision(step, desired.limits));
    return asked.catch((error: unknown) => {
      // Whoever decides again has told the others already.
      if (isAlone) this.#failed(entry, [], error);
      throw error;
    });
  }

  /** A check of a key whose value has turned out to be another. */
  #again(entry: Entry, cost: number): Promise<SharedDecision> {
    return new Promise((resolve, reject) => {
      const decided = (outcome: unknown) => resolve(shared(outcome as Decision));
      void this.#flight(entry, [{ command: { type: "check", cost }, decided, reject }], true);
    });
  }

  /** The outcome of a command that takes nothing, if what was seen last is enough to tell. */
  #locally(entry: Entry, command: stored.Command): unknown {
    const nowUs = this.#link.nowUs();
    if (nowUs === undefined || !this.isFresh(entry)) return undefined;
    const step = stored.stepBatch(entry.value, this.#desired(), nanos(nowUs), [command]);
    if (step.write !== null) return undefined;
    this.#link.counts.localRefusals += 1;
    return step.outcomes[0];
  }

  /** Whether a refusal may stand on what was seen of a key. */
  isFresh(entry: Entry): boolean {
    return this.#link.clock.now() - entry.seenAt < this.#recheckMs;
  }

  /** Lets the next have the key, if anybody waits for it. */
  next(entry: Entry): void {
    if (entry.isBusy) return;
    const turn = entry.turns.shift();
    if (turn !== undefined) {
      entry.isBusy = true;
      turn();
    } else if (entry.waiting.length > 0) {
      entry.isBusy = true;
      const flying = entry.waiting;
      entry.waiting = [];
      void this.#flight(entry, flying);
    }
  }

  /** Decides for all who fly, until it is decided; whether their key has just been read. */
  async #flight(entry: Entry, flying: readonly Pending[], wasSeen = false): Promise<void> {
    try {
      const attempt = (nowUs: number) => this.#attempt(entry, flying, nowUs);
      const outcomes = await this.#link.decide([entry.key], entry, attempt, wasSeen);
      flying.forEach(({ decided }, index) => decided(outcomes[index]));
      this.#landed(entry);
    } catch (error) {
      this.#failed(entry, flying, error);
    }
  }

  #landed(entry: Entry): void {
    entry.isBusy = false;
    this.next(entry);
  }

  #failed(entry: Entry, flying: readonly Pending[], error: unknown): void {
    entry.forget();
    // Whoever came meanwhile would only wait as long again for the same.
    for (const { reject } of [...flying, ...entry.waiting.splice(0)]) reject(error);
    this.#landed(entry);
  }

  #attempt(entry: Entry, flying: readonly Pending[], nowUs: number): Attempt<unknown[]> {
    return this.#quickAttempt(entry, flying, nowUs) ?? this.#anyAttempt(entry, flying, nowUs);
  }

  /** An attempt of checks only, which are decided one by one in less time than all at once. */
  #quickAttempt(entry: Entry, flying: readonly Pending[], nowUs: number): Attempt<unknown[]> | undefined {
    const { quick } = stored.native;
    if (quick === undefined) return undefined;
    const desired = this.#desired();
    const decisions: Decision[] = [];
    let value = entry.value;
    let keepMs = 1;
    for (const { command } of flying) {
      if (command.type !== "check" || typeof command.cost !== "number") return undefined;
      const step = quick.check(value, desired, nowUs, command.cost);
      if (step === undefined) return undefined;
      decisions.push(quick.decision(step, desired.limits));
      if (step.write !== null) ({ write: value, keepMs } = step);
    }
    const write = value === entry.value ? null : value;
    const comparison = { key: entry.key, seen: entry.value, write, keepMs };
    return { result: decisions, entries: [comparison], mayBeOld: this.isFresh(entry) };
  }

  #anyAttempt(entry: Entry, flying: readonly Pending[], nowUs: number): Attempt<unknown[]> {
    const commands = flying.map(({ command }) => command);
    const { outcomes, write } = stored.stepBatch(entry.value, this.#desired(), nanos(nowUs), commands);
    const comparison = { key: entry.key, seen: entry.value, write: write?.bytes ?? null, keepMs: write?.keepMs ?? 1 };
    const mayBeOld = this.isFresh(entry) && !commands.some(isQuestion);
    return { result: outcomes, entries: [comparison], mayBeOld };
  }
}

/** A decision of the store, which has just been made and is nobody else's: copying it takes longer. */
const shared = (decision: Decision): SharedDecision => Object.assign(decision, { degraded: false } as const);

/** Whether a command asks how things are, which only the store knows. */
const isQuestion = ({ type }: stored.Command): boolean =>
  type === "peek" || type === "statuses" || type === "cancel";
