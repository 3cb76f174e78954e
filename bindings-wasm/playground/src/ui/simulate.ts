/** The page's first tab: two limiters under the same traffic. */
import { type Linked, encode } from "../sim/link";
import { PRESETS, SPEEDS, type Setup, VIEWS, WINDOWS } from "../sim/setup";
import { Simulation } from "../sim/simulation";
import { byId, choices, make, say } from "./dom";
import { count, instant, span, wait } from "./format";
import { onHold } from "./hold";
import { LaneView } from "./lane-view";
import { TrafficForm } from "./traffic-form";

/** A picture that comes later than this was of a page in the background, which does not catch up. */
const LONGEST_PICTURE = 250;

export class Simulate {
  #simulation = new Simulation(PRESETS[0]!.setup);
  #isPlaying = false;
  /** When the last picture was, by the browser's clock. */
  #pictured: number | undefined;
  readonly #lanes: readonly [LaneView, LaneView];
  readonly #traffic: TrafficForm;
  readonly #play = byId("play", HTMLButtonElement);
  readonly #speed = byId("speed", HTMLSelectElement);
  readonly #view = byId("view", HTMLSelectElement);
  readonly #window = byId("window", HTMLSelectElement);
  readonly #status = byId("simulate-status", HTMLElement);

  /** The run of a link, at its moment; calls back when the setup has changed. */
  constructor(
    { setup, at }: Linked,
    readonly changed: () => void,
  ) {
    this.#lanes = [
      new LaneView(byId("lane-a", HTMLElement), "A", (limits) => this.#limits(0, limits)),
      new LaneView(byId("lane-b", HTMLElement), "B", (limits) => this.#limits(1, limits)),
    ];
    this.#traffic = new TrafficForm((traffic, cost) => this.#begin({ ...this.#setup, traffic, cost }));
    choices(this.#speed, SPEEDS, (speed) => `${count(speed)}×`);
    choices(this.#view, VIEWS, span);
    choices(this.#window, WINDOWS, span);
    this.#bind();
    this.#presets();
    this.open({ setup, at });
  }

  /** The part of an address that shows this. */
  get link(): string {
    const { setup, hand, now } = this.#simulation;
    return encode({ setup: { ...setup, hand }, at: now });
  }

  /** Shows the run of a link at its moment. Limits that cannot be read are shown as such, while those of the
   * first preset run. */
  open({ setup, at }: Linked): void {
    const limits = setup.limits.map((text, index) =>
      this.#lanes[index]!.field.show(text) ? text : PRESETS[0]!.setup.limits[index]!,
    );
    this.#begin({ ...setup, limits: limits as [string, string] }, false);
    this.#simulation.goTo(at);
    this.#draw();
  }

  /** Takes the colours and the width that there are now. */
  refresh(): void {
    for (const lane of this.#lanes) lane.recolour(this.#setup);
    this.resize();
    this.#draw();
  }

  resize(): void {
    for (const lane of this.#lanes) lane.resize();
  }

  /** Lets the time run, or stand still. */
  play(isPlaying: boolean): void {
    if (this.#isPlaying === isPlaying) return;
    this.#isPlaying = isPlaying;
    this.#pictured = undefined;
    this.#play.dataset["playing"] = String(isPlaying);
    say(byId("play-label", HTMLElement), isPlaying ? "Pause" : "Play");
    if (isPlaying) requestAnimationFrame((at) => this.#picture(at));
    else this.#stand();
  }

  get #setup(): Setup {
    return this.#simulation.setup;
  }

  #bind(): void {
    this.#play.addEventListener("click", () => this.play(!this.#isPlaying));
    byId("step", HTMLButtonElement).addEventListener("click", () => {
      this.play(false);
      this.#simulation.step();
      this.#draw();
      this.#stand();
    });
    byId("reset", HTMLButtonElement).addEventListener("click", () => {
      this.#begin({ ...this.#setup, hand: [] });
      this.#announce();
    });
    onHold(byId("send", HTMLButtonElement), () => {
      this.#simulation.send();
      this.#draw();
      if (!this.#isPlaying) this.#announce();
      this.changed();
    });
    this.#speed.addEventListener("change", () => {
      // How fast time passes changes nothing of what has happened.
      this.#simulation.setup = { ...this.#setup, speed: Number(this.#speed.value) };
      this.changed();
    });
    this.#view.addEventListener("change", () => this.#go({ view: Number(this.#view.value) }));
    this.#window.addEventListener("change", () => this.#go({ window: Number(this.#window.value) }));
  }

  #presets(): void {
    const list = byId("presets", HTMLElement);
    for (const preset of PRESETS) {
      const button = make(
        "button",
        { type: "button", class: "chip", "data-preset": preset.id },
        preset.title,
      );
      button.addEventListener("click", () => {
        this.open({ setup: preset.setup, at: 0 });
        this.changed();
        this.play(true);
      });
      list.append(button);
    }
  }

  /** New limits of one of the two; the other may be wrong at the time, and stays as it was. */
  #limits(index: 0 | 1, text: string): void {
    const limits: [string, string] = [...this.#setup.limits];
    limits[index] = text;
    this.#begin({ ...this.#setup, limits });
  }

  /** The same run seen otherwise. */
  #go(change: Partial<Setup>): void {
    const { now, hand } = this.#simulation;
    const setup = { ...this.#setup, ...change, hand };
    this.#begin(setup);
    this.#simulation.goTo(now);
    this.#draw();
  }

  /** A run from its beginning. */
  #begin(setup: Setup, isChange = true): void {
    this.#simulation = new Simulation(setup);
    const own = this.#setup;
    this.#traffic.show(own.traffic, own.cost);
    this.#speed.value = String(own.speed);
    this.#view.value = String(own.view);
    this.#window.value = String(own.window);
    const preset = PRESETS.find((candidate) => isSame(candidate.setup, own));
    for (const chip of document.querySelectorAll<HTMLElement>("[data-preset]")) {
      const isChosen = chip.dataset["preset"] === preset?.id;
      chip.setAttribute("aria-pressed", String(isChosen));
      // On a phone the row is wider than the screen.
      if (isChosen) chip.parentElement!.scrollLeft = chip.offsetLeft - 40;
    }
    say(
      byId("about", HTMLElement),
      preset?.about ?? "Your own setup. Share it by its link; a preset brings you back.",
    );
    this.#lanes.forEach((view, index) => view.show(this.#simulation.lanes[index as 0 | 1], own));
    this.#draw();
    if (isChange) this.changed();
  }

  #picture(at: number): void {
    if (!this.#isPlaying) return;
    const passed = Math.min(at - (this.#pictured ?? at), LONGEST_PICTURE);
    this.#pictured = at;
    this.#simulation.pass(passed * this.#setup.speed);
    this.#draw();
    requestAnimationFrame((next) => this.#picture(next));
  }

  #draw(): void {
    const { now, lanes, setup } = this.#simulation;
    say(byId("now", HTMLElement), instant(now, setup.start));
    const [a, b] = lanes.map((lane) => lane.peak.most) as [number, number];
    for (const [letter, peak] of [
      ["a", a],
      ["b", b],
    ] as const) {
      say(byId(`peak-${letter}`, HTMLElement), count(peak));
      byId(`peak-bar-${letter}`, HTMLElement).style.transform = `scaleX(${peak / Math.max(a, b, 1)})`;
    }
    this.#lanes.forEach((lane) => lane.draw(now));
  }

  /** Time stands still, and others can be shown where. */
  #stand(): void {
    this.#announce();
    this.changed();
  }

  /** Tells those who cannot see it how it stands, where time stands still. */
  #announce(): void {
    const { now, lanes, setup } = this.#simulation;
    const stands = lanes.map(({ totals, last }, index) => {
      const answer =
        last === undefined || last.allowed
          ? ""
          : last.never
            ? ", wait: never"
            : `, wait: ${wait(last.retryAfterMs)}`;
      return `${"AB"[index]}: ${count(totals.granted)} granted, ${count(totals.refused)} refused${answer}.`;
    });
    const peaks = lanes.map((lane) => lane.peak.most).join(" and ");
    say(
      this.#status,
      `At ${instant(now, setup.start)}. ${stands.join(" ")} Within ${span(setup.window)} at most ${peaks} tokens.`,
    );
  }
}

/** Whether two setups are the same but for what was sent by hand and how fast time passes. */
function isSame(one: Setup, other: Setup): boolean {
  const text = (setup: Setup): string => encode({ setup: { ...setup, hand: [], speed: 1 }, at: 0 });
  return text(one) === text(other);
}
