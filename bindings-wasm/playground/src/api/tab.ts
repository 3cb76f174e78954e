/** The page's third tab: calls to a real service behind the page, with all it says of its limits. */
import * as http from "tokenweir-wasm/http";
import { byId, make, say } from "../ui/dom";
import { count, wait } from "../ui/format";
import { onHold } from "../ui/hold";

/** The fields that are shown, in this order. */
const SHOWN = ["RateLimit", "RateLimit-Policy", "Retry-After", "Content-Type"];
/** How many replies are listed. */
const LISTED = 50;

/** Where the service is, if there is one: who serves the page writes it into it. */
function service(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="tokenweir-api"]')?.content;
}

export class ApiTab {
  readonly #base = service();
  readonly #key = byId("api-key", HTMLSelectElement);
  readonly #rows = byId("api-rows", HTMLElement);
  #sent = 0;
  #shown = 0;
  /** When the last refusal said to come back, by the browser's clock. */
  #notBefore = 0;

  constructor() {
    byId("api-missing", HTMLElement).hidden = this.#base !== undefined;
    byId("api-console", HTMLElement).hidden = this.#base === undefined;
    if (this.#base === undefined) return;
    onHold(byId("api-hello", HTMLButtonElement), () => void this.#call("hello"));
    onHold(byId("api-search", HTMLButtonElement), () => void this.#call("search?q=weir"));
    byId("api-burst", HTMLButtonElement).addEventListener("click", () => {
      for (let index = 0; index < 20; index += 1) void this.#call("hello");
    });
    byId("api-clear", HTMLButtonElement).addEventListener("click", () => {
      this.#rows.replaceChildren();
      byId("api-replies", HTMLElement).hidden = true;
    });
  }

  async #call(path: string): Promise<void> {
    this.#sent += 1;
    const id = this.#sent;
    const key = this.#key.value;
    try {
      const response = await fetch(`${this.#base}${path}`, {
        headers: key === "" ? {} : { "X-API-Key": key },
        cache: "no-store",
      });
      const body = await response.text();
      this.#show(id, `GET ${new URL(response.url).pathname}`, response, body);
    } catch (error) {
      // The service is gone: that is no refusal.
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #show(id: number, request: string, response: Response, body: string): void {
    const said = http.received(response.headers, Date.now());
    this.#row(id, request, response, said);
    // Replies may come in another order than the calls.
    if (id < this.#shown) return;
    this.#shown = id;
    const status = byId("api-status", HTMLElement);
    status.dataset["kind"] = response.ok ? "granted" : "refused";
    say(status, `${response.status} ${response.statusText}`);
    byId("api-fields", HTMLElement).replaceChildren(
      ...SHOWN.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [make("dt", {}, name), make("dd", { "data-field": name }, value)];
      }),
    );
    say(byId("api-body", HTMLElement), pretty(body));
    this.#levels(said);
    if (said.retryAfter !== undefined) this.#wait(said.retryAfter);
    else if (response.ok) this.#wait(0);
    byId("api-reply", HTMLElement).hidden = false;
  }

  /** What is left of each limit, as the reply says. */
  #levels({ limits, policies }: http.Received): void {
    const levels = limits.map(({ name, remaining }) => {
      const quota = policies.find((policy) => policy.name === name)?.quota ?? remaining ?? 1n;
      const left = Number(remaining ?? 0n);
      const fill = make("span", { class: "fill" });
      fill.style.transform = `scaleX(${Math.min(1, left / Number(quota))})`;
      const label = name ?? "limit";
      const meter = { class: "basin", role: "meter", "aria-label": `Left of ${label}`, "aria-valuemin": "0" };
      return make(
        "div",
        { class: "level" },
        make("span", { class: "name" }, label),
        make("span", { class: "number" }, `${count(left)} / ${count(Number(quota))}`),
        make("div", { ...meter, "aria-valuemax": String(quota), "aria-valuenow": String(left) }, fill),
      );
    });
    byId("api-levels", HTMLElement).replaceChildren(...levels);
  }

  /** Counts down to the instant at which the service said to come back. */
  #wait(millis: number): void {
    const isCounting = this.#notBefore > performance.now();
    this.#notBefore = performance.now() + millis;
    if (!isCounting) this.#countDown();
  }

  #countDown(): void {
    const left = this.#notBefore - performance.now();
    const place = byId("api-wait", HTMLElement);
    say(place, left > 0 ? `again in ${wait(Math.ceil(left / 100) * 100)}` : "now");
    place.dataset["kind"] = left > 0 ? "refused" : "granted";
    if (left > 0) requestAnimationFrame(() => this.#countDown());
  }

  #row(id: number, request: string, response: Response, { limits, retryAfter }: http.Received): void {
    const kind = response.ok ? "granted" : "refused";
    const left = limits.map(({ name, remaining }) => `${name ?? "limit"} ${remaining ?? "?"}`).join(" · ");
    const row = make(
      "tr",
      { "data-status": String(response.status) },
      make("td", {}, String(id)),
      make("th", { scope: "row" }, request),
      make("td", {}, make("span", { class: "pill", "data-kind": kind }, String(response.status))),
      make("td", {}, left),
      make("td", {}, retryAfter === undefined ? "–" : wait(retryAfter)),
    );
    byId("api-replies", HTMLElement).hidden = false;
    this.#rows.prepend(row);
    while (this.#rows.childElementCount > LISTED) this.#rows.lastElementChild!.remove();
  }

  #fail(message: string): void {
    const status = byId("api-status", HTMLElement);
    status.dataset["kind"] = "refused";
    say(status, `no answer: ${message}`);
    byId("api-fields", HTMLElement).replaceChildren();
    say(byId("api-body", HTMLElement), "");
    byId("api-reply", HTMLElement).hidden = false;
  }
}

/** JSON by lines, anything else as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
