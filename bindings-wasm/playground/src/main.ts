/** The page. What it shows is in the part of its address after `#`: the tab, and the state of the tab. */
import "uplot/dist/uPlot.min.css";
import "./style/theme.css";
import "./style/page.css";
import "./style/controls.css";
import "./style/lanes.css";
import "./style/tables.css";
import { ApiTab } from "./api/tab";
import { LogTab } from "./log/tab";
import { decode } from "./sim/link";
import { PRESETS } from "./sim/setup";
import { byId, say } from "./ui/dom";
import { Simulate } from "./ui/simulate";
import { initTabs } from "./ui/tabs";
import { initTheme } from "./ui/theme";

/** The tabs by what a link calls them. */
const TABS = { simulate: "panel-simulate", log: "panel-log", api: "panel-api" } as const;
type Tab = keyof typeof TABS;

function parts(): { tab: Tab; rest: string } {
  const hash = location.hash.slice(1);
  const [name = "", ...rest] = hash.split("?");
  return Object.hasOwn(TABS, name)
    ? { tab: name as Tab, rest: rest.join("?") }
    : { tab: "simulate", rest: hash };
}

let tab: Tab = "simulate";
/** What this page itself has put into the address. */
let written = location.hash;

const linkOf: Record<Tab, () => string> = {
  simulate: () => simulate.link,
  log: () => log.link,
  api: () => "",
};

/** Puts what is shown into the address, without a new entry in the history. */
function write(): void {
  const rest = linkOf[tab]();
  written = `#${tab}${rest === "" ? "" : `?${rest}`}`;
  history.replaceState(null, "", written);
}

const linked = parts();
const hasRun = linked.tab === "simulate" && linked.rest !== "";
const simulate = new Simulate(hasRun ? decode(linked.rest) : { setup: PRESETS[0]!.setup, at: 0 }, () =>
  write(),
);
const log = new LogTab(() => write());
new ApiTab();

const show = initTabs(byId("tabs", HTMLElement), (panel) => {
  tab = (Object.keys(TABS) as Tab[]).find((name) => TABS[name] === panel)!;
  if (tab !== "simulate") simulate.play(false);
  // Hidden charts have no width.
  if (tab === "simulate") simulate.refresh();
  if (tab === "log") log.refresh();
  if (isReady) write();
});
let isReady = false;
initTheme(() => {
  simulate.refresh();
  log.refresh();
});
show(TABS[linked.tab]);
if (linked.tab === "log") log.open(linked.rest);
isReady = true;
// A link that was sent shows a moment; a visit shows what moves, for those who want that.
if (
  linked.rest === "" &&
  linked.tab === "simulate" &&
  !matchMedia("(prefers-reduced-motion: reduce)").matches
) {
  simulate.play(true);
}

// What was drawn before the fonts were there has others.
void document.fonts.ready.then(() => {
  simulate.refresh();
  log.refresh();
});

addEventListener("hashchange", () => {
  if (location.hash === written) return;
  const { tab: wanted, rest } = parts();
  show(TABS[wanted]);
  simulate.play(false);
  if (wanted === "simulate") simulate.open(decode(rest));
  if (wanted === "log") log.open(rest);
});

let resizing: number | undefined;
addEventListener("resize", () => {
  cancelAnimationFrame(resizing ?? 0);
  resizing = requestAnimationFrame(() => {
    simulate.resize();
    log.refresh();
  });
});

const share = byId("share", HTMLButtonElement);
const shared = byId("share-status", HTMLElement);
let shown: ReturnType<typeof setTimeout> | undefined;
share.addEventListener("click", async () => {
  write();
  try {
    await navigator.clipboard.writeText(location.href);
    say(shared, "Link copied");
  } catch {
    say(shared, "The link is in the address bar");
  }
  clearTimeout(shown);
  shown = setTimeout(() => say(shared, ""), 4_000);
});
