/** A field for limits as text, which shows where they cannot be read. */
import { Limits, LimitSyntaxError } from "tokenweir-wasm";
import { part, say } from "./dom";

export class LimitsField {
  readonly input: HTMLInputElement;
  readonly #error: HTMLElement;
  readonly #place: HTMLElement;
  readonly #message: HTMLElement;
  /** The last text that could be read, which is in force until the next one. */
  #inForce: string | undefined;

  /** The field within an element with the parts `limits`, `error`, `place` and `message`; calls back with
   * limits that can be read. */
  constructor(within: ParentNode, changed: (text: string) => void) {
    this.input = part(within, "limits", HTMLInputElement);
    this.#error = part(within, "error");
    this.#place = part(within, "place");
    this.#message = part(within, "message");
    this.input.addEventListener("input", () => {
      if (this.check()) changed(this.input.value);
    });
  }

  /** Shows a text; whether it can be read. */
  show(text: string): boolean {
    if (this.input.value !== text) this.input.value = text;
    this.#inForce = undefined;
    return this.check();
  }

  /** Whether the text can be read; if not, the place and the reason are shown. */
  check(): boolean {
    try {
      Limits.of(this.input.value);
    } catch (error) {
      this.#fail(error);
      return false;
    }
    this.#inForce = this.input.value;
    this.#error.hidden = true;
    this.input.removeAttribute("aria-invalid");
    return true;
  }

  #fail(error: unknown): void {
    const text = this.input.value;
    const column = error instanceof LimitSyntaxError ? error.column : 1;
    // Columns count characters, which may be two units of a string.
    const before = [...text].slice(0, column - 1);
    // In a long text the place is shown with what is around it.
    const shown = before.slice(-24).join("");
    const at = [...text].slice(column - 1, column + 12).join("");
    this.#place.replaceChildren(before.length > 24 ? "…" : "", shown);
    const mark = document.createElement("mark");
    mark.textContent = at.slice(0, 1).trim() === "" ? "\u00a0" : [...at][0]!;
    this.#place.append(mark, [...at].slice(1).join(""));
    const reason = error instanceof Error ? error.message : String(error);
    say(this.#message, this.#inForce === undefined ? reason : `${reason}. Until then: ${this.#inForce}`);
    this.#error.hidden = false;
    this.input.setAttribute("aria-invalid", "true");
  }
}
