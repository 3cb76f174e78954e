/** The page's second tab: what limits would have made of a web server's log. */
import uPlot from "uplot";
import sample from "../../../../tests/data/access.log?url";
import { COUNTS, axis } from "../ui/charts";
import { byId, make, say } from "../ui/dom";
import { count, counted, span, wait } from "../ui/format";
import { LimitsField } from "../ui/limits-field";
import { colour } from "../ui/theme";
import type { Key } from "./parse";
import type { Outcome, Tally } from "./replay";
import type { Order, Report } from "./worker";

type Sort = "busiest" | "mostRefused";

export class LogTab {
  readonly #field: LimitsField;
  readonly #key = byId("log-key", HTMLSelectElement);
  readonly #drop = byId("drop", HTMLElement);
  readonly #progress = byId("log-progress", HTMLProgressElement);
  readonly #status = byId("log-status", HTMLElement);
  readonly #results = byId("log-results", HTMLElement);
  readonly #sort = byId("log-sort", HTMLSelectElement);
  #worker: Worker | undefined;
  #file: { id: number; name: string; blob: Blob } | undefined;
  #orders = 0;
  #outcome: Outcome | undefined;
  #chart: uPlot | undefined;

  /** Calls back when what a link shows has changed. */
  constructor(changed: () => void) {
    this.#field = new LimitsField(byId("log-limits-field", HTMLElement), () => {
      this.#replay();
      changed();
    });
    this.#field.show("10/min");
    this.#key.addEventListener("change", () => {
      this.#replay();
      changed();
    });
    this.#sort.addEventListener("change", () => this.#table());
    const chooser = byId("log-file", HTMLInputElement);
    chooser.addEventListener("change", () => {
      const [file] = chooser.files ?? [];
      if (file !== undefined) this.#take(file.name, file);
      // The same file can be chosen again after it has changed.
      chooser.value = "";
    });
    byId("log-sample", HTMLButtonElement).addEventListener("click", () => void this.#takeSample());
    this.#bindDrop();
  }

  /** What a link says of this tab. */
  get link(): string {
    return new URLSearchParams({ limits: this.#field.input.value, key: this.#key.value }).toString();
  }

  /** Shows what a link says. */
  open(text: string): void {
    const fields = new URLSearchParams(text);
    const key = fields.get("key");
    if ([...this.#key.options].some((option) => option.value === key)) this.#key.value = key!;
    if (this.#field.show(fields.get("limits") ?? "10/min")) this.#replay();
  }

  /** Takes the colours and the width that there are now. */
  refresh(): void {
    this.#draw();
  }

  #bindDrop(): void {
    // Anywhere on the page: who misses the field would leave the page otherwise.
    const root = document.documentElement;
    let depth = 0;
    const over = (by: number): void => {
      depth = Math.max(0, depth + by);
      this.#drop.toggleAttribute("data-over", depth > 0);
    };
    root.addEventListener("dragenter", () => over(1));
    root.addEventListener("dragleave", () => over(-1));
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      over(-depth);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) this.#take(file.name, file);
    });
  }

  async #takeSample(): Promise<void> {
    try {
      const response = await fetch(sample);
      if (!response.ok) throw new Error(`the sample could not be read: ${response.status}`);
      this.#take("the sample", await response.blob());
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #take(name: string, blob: Blob): void {
    this.#file = { id: (this.#file?.id ?? 0) + 1, name, blob };
    this.#replay();
  }

  #replay(): void {
    const file = this.#file;
    if (file === undefined || !this.#field.check()) return;
    this.#orders += 1;
    this.#worker ??= this.#start();
    this.#progress.max = Math.max(1, file.blob.size);
    this.#progress.value = 0;
    this.#progress.hidden = false;
    say(this.#status, `Reading ${file.name} …`);
    const order: Order = {
      id: this.#orders,
      file: file.id,
      blob: file.blob,
      key: this.#key.value as Key,
      limits: this.#field.input.value,
    };
    this.#worker.postMessage(order);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Report>) => {
      // Another order has overtaken this one.
      if (data.id !== this.#orders) return;
      if (data.type === "progress") this.#progress.value = data.bytes;
      else if (data.type === "failed") this.#fail(data.message);
      else this.#show(data.outcome);
    });
    return worker;
  }

  #fail(message: string): void {
    this.#progress.hidden = true;
    this.#results.hidden = true;
    this.#status.dataset["kind"] = "error";
    say(this.#status, message);
  }

  #show(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#progress.hidden = true;
    this.#results.hidden = false;
    delete this.#status.dataset["kind"];
    const { admitted, refused, keys, keysRefused, bad, refusedBy } = outcome;
    const { bad: badLines, firstBad } = bad;
    const left =
      firstBad === undefined
        ? ""
        : ` Left out: ${counted(badLines, "line")}; line ${firstBad.line}: ${firstBad.problem}.`;
    say(this.#status, `${counted(admitted + refused, "request")} in ${this.#file!.name}.${left}`);
    say(byId("log-admitted", HTMLElement), count(admitted));
    say(byId("log-refused", HTMLElement), count(refused));
    say(byId("log-share", HTMLElement), `${((100 * refused) / (admitted + refused)).toFixed(1)} %`);
    say(byId("log-keys", HTMLElement), count(keys));
    say(byId("log-keys-refused", HTMLElement), count(keysRefused));
    const by =
      refusedBy.length < 2
        ? ""
        : `Refused by ${refusedBy.map(({ name, count: times }) => `${name}: ${count(times)}`).join(", ")}.`;
    say(byId("log-by", HTMLElement), by);
    const many = this.#key.selectedOptions[0]?.dataset["many"] ?? "keys";
    say(byId("log-keys-title", HTMLElement), many);
    say(byId("log-keys-refused-title", HTMLElement), many);
    say(byId("log-table-title", HTMLElement), many[0]!.toUpperCase() + many.slice(1));
    this.#table();
    this.#draw();
  }

  #table(): void {
    const outcome = this.#outcome;
    if (outcome === undefined) return;
    const rows = outcome[this.#sort.value as Sort];
    const requests = (tally: Tally): number => tally.admitted + tally.refused;
    const most = Math.max(...rows.map(requests), 1);
    say(byId("log-key-title", HTMLElement), this.#key.selectedOptions[0]?.dataset["title"] ?? "");
    byId("log-rows", HTMLElement).replaceChildren(
      ...rows.map((tally) => {
        const bar = make("span", { class: "share", "aria-hidden": "true" }, make("i"), make("b"));
        bar.style.setProperty("--admitted", String(tally.admitted / most));
        bar.style.setProperty("--refused", String(tally.refused / most));
        return make(
          "tr",
          {},
          make("th", { scope: "row", title: tally.key }, tally.key),
          make("td", { class: "bar" }, bar),
          make("td", {}, count(requests(tally))),
          make("td", {}, count(tally.admitted)),
          make("td", { class: tally.refused > 0 ? "refused" : "" }, count(tally.refused)),
          make("td", {}, tally.longest === 0 ? "–" : wait(tally.longest)),
        );
      }),
    );
  }

  #draw(): void {
    const outcome = this.#outcome;
    const place = byId("log-chart", HTMLElement);
    this.#chart?.destroy();
    this.#chart = undefined;
    if (outcome === undefined || place.clientWidth === 0) return;
    const { times, admittedAt, refusedAt, stretch } = outcome;
    const seconds = times.map((time) => time / 1_000);
    const sums = admittedAt.map((admitted, index) => admitted + refusedAt[index]!);
    const readout = byId("log-readout", HTMLElement);
    say(byId("log-stretch", HTMLElement), `Requests per ${span(stretch)}`);
    const bars = uPlot.paths.bars!({ align: 1, size: [0.86, 24], radius: 0.1 });
    const series = (name: string): uPlot.Series => ({
      fill: colour(name),
      width: 0,
      paths: bars,
      points: { show: false },
    });
    this.#chart = new uPlot(
      {
        width: place.clientWidth,
        height: 200,
        padding: [6, 8, 0, 0],
        legend: { show: false },
        tzDate: (second) => uPlot.tzDate(new Date(second * 1_000), "Etc/UTC"),
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { range: () => [seconds[0]!, seconds.at(-1)! + stretch / 1_000] },
          y: { range: (_chart, _least, most) => [0, most * 1.04] },
        },
        axes: [
          axis({ size: 40, space: 64, values: (_chart, splits) => splits.map(dayAndTime) }),
          axis({ size: 54, incrs: COUNTS, values: (_chart, splits) => splits.map(count) }),
        ],
        series: [{}, series("refuse"), series("grant")],
        hooks: {
          setCursor: [
            (chart) => {
              const index = chart.cursor.idx;
              const isInside = index != null && chart.cursor.left! >= 0;
              say(readout, isInside ? this.#described(outcome, index) : "");
            },
          ],
        },
      },
      [seconds, sums, [...admittedAt]],
      place,
    );
  }

  #described({ times, admittedAt, refusedAt }: Outcome, index: number): string {
    const at = new Date(times[index]!).toISOString().slice(0, 16).replace("T", " ");
    return `${at} UTC — ${count(admittedAt[index]!)} admitted · ${count(refusedAt[index]!)} refused`;
  }
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** A time in seconds for the axis of the chart; the first one and each midnight have their day. */
function dayAndTime(seconds: number, index: number): string {
  const at = new Date(seconds * 1_000);
  const time = TIME.format(at);
  return index === 0 || time === "00:00" ? `${time}\n${DAY.format(at)}` : time;
}
