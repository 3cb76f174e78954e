/** The charts of one limiter: levels, answers and waits over the same time. */
import uPlot from "uplot";
import type { Lane } from "../sim/lane";
import type { Setup } from "../sim/setup";
import { count, instant, tick, wait } from "./format";
import { colour } from "./theme";

/** The steps of an axis of time, in milliseconds. */
const STEPS = [1, 2, 5, 15, 30].flatMap((step) => [step * 1_000, step * 60_000]);
export const TIME_STEPS = [
  100,
  200,
  500,
  ...STEPS,
  600_000,
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * 3_600_000),
].sort((one, other) => one - other);

/** The steps of an axis of numbers. */
export const COUNTS = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** The colours of the levels of the limits, in order. */
export const LEVELS = ["water", "second", "third", "fourth"];

export const levelColour = (index: number): string => LEVELS[index % LEVELS.length]!;

/** What all axes have in common. */
export function axis(options: uPlot.Axis): uPlot.Axis {
  return {
    stroke: colour("muted"),
    font: "11px Inter, sans-serif",
    grid: { stroke: colour("grid"), width: 1 },
    ticks: { show: false },
    gap: 4,
    ...options,
  };
}

/** A translucent form of a colour of the style sheet. */
const faint = (name: string): string => `color-mix(in srgb, ${colour(name)} 16%, transparent)`;

export class LaneCharts {
  readonly #levels: uPlot;
  readonly #answers: uPlot;
  readonly #waits: uPlot;
  readonly #places: readonly [HTMLElement, HTMLElement, HTMLElement];

  /** Charts in these places; each place has a sibling `output` that tells the values under the pointer. */
  constructor(
    places: readonly [HTMLElement, HTMLElement, HTMLElement],
    readonly lane: Lane,
    readonly setup: Setup,
  ) {
    this.#places = places;
    for (const place of places) place.replaceChildren();
    const names = lane.limits.map((limit) => limit.name);
    this.#levels = this.#chart(
      places[0],
      112,
      names.map((label, index) => ({
        label,
        stroke: colour(levelColour(index)),
        width: 2,
        paths: uPlot.paths.stepped!({ align: 1 }),
        points: { show: false },
        ...(index === 0 ? { fill: faint("water") } : {}),
      })),
      (_chart, least, most) => [
        Math.min(0, least),
        Math.max(1, most, ...lane.limits.map((limit) => limit.quota)) * 1.04,
      ],
      (index) =>
        names
          .map(
            (name, at) =>
              `${names.length > 1 ? `${name} ` : ""}${count(this.#levels.data[at + 1]![index] ?? 0)}`,
          )
          .join(" · "),
    );
    const bars = uPlot.paths.bars!({ align: 1, size: [0.82, 14], radius: 0.12 });
    this.#answers = this.#chart(
      places[1],
      92,
      [
        { label: "refused", fill: colour("refuse"), width: 0, paths: bars, points: { show: false } },
        { label: "granted", fill: colour("grant"), width: 0, paths: bars, points: { show: false } },
      ],
      (_chart, _least, most) => [0, Math.max(4, most) * 1.04],
      (index) => {
        const granted = this.#answers.data[2]![index] ?? 0;
        return `${count(granted)} granted · ${count((this.#answers.data[1]![index] ?? 0) - granted)} refused`;
      },
    );
    const dots = (name: string, size: number): Partial<uPlot.Series> => ({
      stroke: colour(name),
      paths: () => null,
      points: { show: true, size, fill: colour(name), stroke: colour(name) },
    });
    this.#waits = this.#chart(
      places[2],
      84,
      [
        { label: "wait", ...dots("wait", 7) },
        { label: "never", ...dots("refuse", 8) },
      ],
      (_chart, _least, most) => [0, Math.max(1, most) * 1.12],
      (index) => {
        const [, waits, never] = this.#waits.data;
        if (never![index] != null) return "never";
        return waits![index] == null ? "nobody refused" : wait(waits![index]);
      },
      {
        incrs: TIME_STEPS,
        // Where all were told “never”, there is no scale.
        values: (chart, splits) =>
          chart.data[1]!.some((value) => value != null)
            ? splits.map((value) => (value === 0 ? "0" : wait(value)))
            : splits.map(() => ""),
      },
    );
  }

  /** Shows what has happened. */
  draw(now: number): void {
    const { history } = this.lane;
    const { view } = this.setup;
    const range = { min: Math.max(0, now - view), max: Math.max(view, now) };
    const bins = history.bins;
    const at = bins.map((bin) => bin.at);
    const waits = bins.map((bin) => (bin.refused > 0 && bin.wait > 0 ? bin.wait : null));
    const top = Math.max(1_000, ...waits.map((value) => value ?? 0));
    const never = bins.map((bin) => (bin.never ? top : null));
    const data: [uPlot, uPlot.AlignedData][] = [
      [this.#levels, [history.times, ...history.levels]],
      [this.#answers, [at, bins.map((bin) => bin.granted + bin.refused), bins.map((bin) => bin.granted)]],
      [this.#waits, [at.map((begin) => begin + history.binLength / 2), waits, never]],
    ];
    for (const [chart, values] of data) {
      chart.batch(() => {
        chart.setData(values, false);
        chart.setScale("x", range);
      });
    }
  }

  /** Takes the width that there is. */
  resize(): void {
    for (const [index, chart] of [this.#levels, this.#answers, this.#waits].entries()) {
      const width = this.#places[index]!.clientWidth;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
  }

  destroy(): void {
    for (const chart of [this.#levels, this.#answers, this.#waits]) chart.destroy();
  }

  #chart(
    place: HTMLElement,
    height: number,
    series: readonly Partial<uPlot.Series>[],
    range: uPlot.Range.Function,
    values: (index: number) => string,
    vertical: uPlot.Axis = { incrs: COUNTS, values: (_chart, splits) => splits.map(count) },
  ): uPlot {
    const readout = place.parentElement!.querySelector("output")!;
    const { start } = this.setup;
    return new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height,
        padding: [6, 14, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: "time" }, y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { range } },
        axes: [
          axis({
            incrs: TIME_STEPS,
            space: 56,
            size: 22,
            values: (_chart, splits, _axis, _space, step) => splits.map((split) => tick(split, start, step)),
          }),
          axis({ size: 50, space: 26, ...vertical }),
        ],
        series: [{}, ...series],
        hooks: {
          setCursor: [
            (chart) => {
              const index = chart.cursor.idx;
              const shown = index == null || chart.cursor.left! < 0 ? undefined : chart.data[0][index];
              readout.textContent = shown === undefined ? "" : `${instant(shown, start)} — ${values(index!)}`;
            },
          ],
        },
      },
      [[], ...series.map(() => [])],
      place,
    );
  }
}
