/** Light or dark: as the system says, until the switch is used. */
import { byId } from "./dom";

const KEY = "tokenweir-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

type Theme = "light" | "dark";

function stored(): Theme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    // A browser may forbid storage; then the choice lasts as long as the page.
    return undefined;
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    return;
  }
}

/** Makes the switch work, and calls back when the colours have changed. */
export function initTheme(changed: () => void): void {
  const button = byId("theme", HTMLButtonElement);
  let chosen = stored();
  const apply = (): void => {
    const theme: Theme = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset["theme"] = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    changed();
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
    store(chosen);
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

/** A colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
