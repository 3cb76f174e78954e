/** The traffic as a sentence with gaps to fill in. */
import { BOUNDS, FIELDS, type Field, type Traffic, type TrafficKind } from "../sim/traffic";
import { byId, make } from "./dom";

/** How a number of a pattern is shown. */
interface Gap {
  readonly field: Field;
  readonly label: string;
  /** Milliseconds in one of what is shown. */
  readonly unit: number;
}

const gap = (field: Field, label: string, unit = 1): Gap => ({ field, label, unit });

const SENTENCES: Readonly<Record<TrafficKind, readonly (string | Gap)[]>> = {
  hand: ["only when you press Send"],
  steady: [gap("perSecond", "Requests each second"), "requests each second, evenly"],
  bursts: [
    gap("size", "Requests at once"),
    "at once,",
    gap("times", "Bursts in a row"),
    "times,",
    gap("gap", "Milliseconds between bursts"),
    "ms apart; first at",
    gap("first", "Seconds until the first burst", 1_000),
    "s, again every",
    gap("every", "Seconds until the bursts come again; 0 for never", 1_000),
    "s",
  ],
  poll: ["one every", gap("every", "Seconds between requests", 1_000), "s, whatever the answers"],
  retry: ["each client asks, waits as long as it is told, then asks again"],
};

/** What a pattern begins with when it is chosen. */
const FIRST: Readonly<Record<TrafficKind, Traffic>> = {
  hand: { kind: "hand" },
  steady: { kind: "steady", perSecond: 5 },
  bursts: { kind: "bursts", size: 10, times: 1, gap: 0, first: 1_000, every: 5_000 },
  poll: { kind: "poll", every: 500 },
  retry: { kind: "retry" },
};

export class TrafficForm {
  readonly #kind = byId("traffic-kind", HTMLSelectElement);
  readonly #sentence = byId("traffic-sentence", HTMLElement);
  readonly #cost = byId("cost", HTMLInputElement);
  #traffic: Traffic = FIRST.hand;

  /** Calls back with what is chosen, when it is complete. */
  constructor(readonly changed: (traffic: Traffic, cost: number) => void) {
    this.#kind.addEventListener("change", () => {
      this.#write(FIRST[this.#kind.value as TrafficKind]);
      this.#tell();
    });
    this.#cost.addEventListener("input", () => this.#tell());
  }

  /** Shows a pattern and a cost. */
  show(traffic: Traffic, cost: number): void {
    if (JSON.stringify(traffic) !== JSON.stringify(this.#traffic)) this.#write(traffic);
    if (!this.#cost.matches(":focus")) this.#cost.value = String(cost);
  }

  #write(traffic: Traffic): void {
    this.#traffic = traffic;
    this.#kind.value = traffic.kind;
    this.#sentence.replaceChildren(
      ...SENTENCES[traffic.kind].flatMap((piece) =>
        typeof piece === "string" ? [piece, " "] : [this.#input(piece), " "],
      ),
    );
  }

  #input({ field, label, unit }: Gap): HTMLInputElement {
    const [least, most] = BOUNDS[field];
    const input = make("input", {
      type: "number",
      inputmode: "decimal",
      min: String((field === "every" && this.#traffic.kind === "poll" ? 1 : least) / unit),
      max: String(most / unit),
      step: field === "size" || field === "times" ? "1" : "any",
      required: "",
      "aria-label": label,
      "data-field": field,
    });
    const value = (this.#traffic as unknown as Record<Field, number>)[field] / unit;
    input.value = String(value);
    input.addEventListener("input", () => this.#tell());
    return input;
  }

  #tell(): void {
    const inputs = [...this.#sentence.querySelectorAll("input")];
    if (![...inputs, this.#cost].every((input) => input.checkValidity())) return;
    const { kind } = this.#traffic;
    const values = FIELDS[kind].map((field) => {
      const piece = SENTENCES[kind].find((gap) => typeof gap !== "string" && gap.field === field) as Gap;
      return [field, Number(inputs.find((input) => input.dataset["field"] === field)!.value) * piece.unit];
    });
    this.#traffic = { kind, ...Object.fromEntries(values) } as Traffic;
    this.changed(this.#traffic, Number(this.#cost.value));
  }
}
