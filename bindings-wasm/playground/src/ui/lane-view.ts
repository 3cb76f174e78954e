/** One limiter of the two: its limits, how they stand, what it answered. */
import { Lane } from "../sim/lane";
import type { Setup } from "../sim/setup";
import { LaneCharts, levelColour } from "./charts";
import { make, part, say } from "./dom";
import { count, wait } from "./format";
import { LimitsField } from "./limits-field";

export class LaneView {
  readonly field: LimitsField;
  readonly #root: HTMLElement;
  readonly #levels: HTMLElement;
  #lane: Lane | undefined;
  #charts: LaneCharts | undefined;
  /** The bar and the number of each limit. */
  #meters: { meter: HTMLElement; fill: HTMLElement; number: HTMLElement }[] = [];

  /** A view in a place, called by a letter; calls back with new limits. */
  constructor(place: HTMLElement, letter: string, changed: (limits: string) => void) {
    const template = document.getElementById("lane") as HTMLTemplateElement;
    place.append(template.content.cloneNode(true));
    this.#root = place;
    place.setAttribute("aria-label", `Limiter ${letter}`);
    say(part(place, "letter"), letter);
    const input = part(place, "limits", HTMLInputElement);
    input.id = `limits-${letter}`;
    input.setAttribute("aria-describedby", `message-${letter}`);
    part(place, "message").id = `message-${letter}`;
    const label = part(place, "label", HTMLLabelElement);
    label.htmlFor = input.id;
    say(label, `Limits of ${letter}`);
    this.#levels = part(place, "levels");
    this.field = new LimitsField(place, changed);
  }

  /** Shows another run from its beginning. */
  show(lane: Lane, setup: Setup): void {
    this.#lane = lane;
    this.#meters = lane.limits.map((limit, index) => {
      const fill = make("span", { class: "fill" });
      const meter = make(
        "div",
        {
          class: "basin",
          role: "meter",
          "aria-label": `Level of ${limit.name}`,
          "aria-valuemin": "0",
          "aria-valuemax": String(limit.quota),
          "data-colour": levelColour(index),
        },
        fill,
      );
      // A notch for each token, as long as one can tell them apart.
      if (limit.quota <= 40) meter.style.setProperty("--notches", String(limit.quota));
      const number = make("span", { class: "number" });
      return { meter, fill, number };
    });
    // The only limit is told by the field above.
    const isOne = lane.limits.length === 1;
    this.#levels.replaceChildren(
      ...this.#meters.map(({ meter, number }, index) =>
        make(
          "div",
          { class: "level" },
          make("span", { class: "name" }, isOne ? "available" : lane.limits[index]!.name),
          number,
          meter,
        ),
      ),
    );
    this.recolour(setup);
  }

  /** Makes the charts anew, with the colours there are now. */
  recolour(setup: Setup): void {
    const lane = this.#lane;
    if (lane === undefined) return;
    this.#charts?.destroy();
    const places = ["chart-levels", "chart-answers", "chart-waits"].map((name) => part(this.#root, name));
    this.#charts = new LaneCharts(places as [HTMLElement, HTMLElement, HTMLElement], lane, setup);
  }

  resize(): void {
    this.#charts?.resize();
  }

  /** Shows what has happened until now. */
  draw(now: number): void {
    const lane = this.#lane;
    if (lane === undefined) return;
    lane.statuses().forEach(({ available, limit }, index) => {
      const { meter, fill, number } = this.#meters[index]!;
      fill.style.transform = `scaleX(${Math.min(1, Math.max(0, available / limit))})`;
      say(number, `${count(available)} / ${count(limit)}`);
      if (meter.ariaValueNow !== String(available)) meter.ariaValueNow = String(available);
    });
    const { granted, refused, never, longest } = lane.totals;
    say(part(this.#root, "granted"), count(granted));
    say(part(this.#root, "refused"), count(refused));
    say(part(this.#root, "longest"), never > 0 ? "never" : longest === 0 ? "none" : wait(longest));
    part(this.#root, "never").hidden = never === 0;
    const answer = part(this.#root, "answer");
    const { last } = lane;
    answer.dataset["kind"] = last === undefined ? "none" : last.allowed ? "granted" : "refused";
    say(answer, last === undefined ? "not asked yet" : answerOf(last, lane.limits.length > 1));
    this.#charts?.draw(now);
  }
}

type Answer = NonNullable<Lane["last"]>;

/** An answer in words. */
function answerOf({ allowed, remaining, never, retryAfterMs, scope }: Answer, isNamed: boolean): string {
  if (allowed) return `granted, ${count(remaining)} left`;
  const by = isNamed ? ` by ${scope}` : "";
  return never ? `refused${by}: never` : `refused${by}: again in ${wait(retryAfterMs)}`;
}
