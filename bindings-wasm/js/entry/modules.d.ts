/** What wasm-bindgen writes. */
declare module "#glue" {
  export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
  export function groupNew(limits: number): number;
  export function groupDrop(group: number): void;
  export function entryNew(group: number): number;
  export function entryDrop(group: number, entry: number): void;
  export function decideAll(): number;
  export function reservationDrop(reservation: number): void;
  export function limitsParse(text: string): number;
  export function limitsAdd(name: string): number;
  export function limitsBuild(): number;
  export function limitsLook(limits: number): number;
  export function limitsText(limits: number): string;
  export function limitsDrop(limits: number): void;
  export function nanos(millis: number): number;
  export function nanosExact(millis: number): number;
  export function millis(): void;
  export function faultText(): string;
  export function ask(operation: number, question: string): string;
  export function backoffDrop(backoff: number): void;
  export function wordsAddress(): number;
}

/** The module as text. */
declare module "#module" {
  const bytes: string;
  export default bytes;
}

/** The module, as runtimes give it that compile what is imported. */
declare module "#wasm" {
  const module: WebAssembly.Module;
  export default module;
}
