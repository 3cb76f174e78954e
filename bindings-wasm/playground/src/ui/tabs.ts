/** The tabs: one of them in the order of the keyboard, the others by the arrow keys. */

/** Makes the tabs of a list work; calls back with the id of the panel that is shown. */
export function initTabs(list: HTMLElement, shown: (panel: string) => void): (panel: string) => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement): string => tab.getAttribute("aria-controls") ?? "";
  const show = (wanted: HTMLElement): void => {
    for (const tab of tabs) {
      const isWanted = tab === wanted;
      tab.setAttribute("aria-selected", String(isWanted));
      tab.tabIndex = isWanted ? 0 : -1;
      const panel = document.getElementById(panelOf(tab));
      if (panel !== null) panel.hidden = !isWanted;
    }
    shown(panelOf(wanted));
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (event) => {
      const steps: Record<string, number> = {
        ArrowRight: 1,
        ArrowLeft: -1,
        Home: -index,
        End: tabs.length - 1 - index,
      };
      const step = steps[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = tabs[(index + step + tabs.length) % tabs.length]!;
      next.focus();
      show(next);
    });
  }
  return (panel) => {
    const tab = tabs.find((candidate) => panelOf(candidate) === panel);
    if (tab !== undefined) show(tab);
  };
}
