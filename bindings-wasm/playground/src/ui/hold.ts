/** A button that acts when it is pressed, and again and again while it is held: by mouse, finger, space
 * bar or enter. */

/** How often, in milliseconds. */
const AGAIN = 120;

/** Calls `act` for each press and while the button is held. */
export function onHold(button: HTMLButtonElement, act: () => void): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const begin = (): void => {
    if (timer !== undefined) return;
    act();
    timer = setInterval(act, AGAIN);
    button.dataset["held"] = "";
  };
  const end = (): void => {
    clearInterval(timer);
    timer = undefined;
    delete button.dataset["held"];
  };
  const isKey = (event: KeyboardEvent): boolean => event.key === " " || event.key === "Enter";
  let handled = false;
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    handled = true;
    begin();
  });
  button.addEventListener("keydown", (event) => {
    if (!isKey(event)) return;
    // Neither the click that the browser makes of it, nor the scrolling.
    event.preventDefault();
    if (!event.repeat) begin();
  });
  button.addEventListener("keyup", (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    end();
  });
  for (const type of ["pointerup", "pointercancel", "pointerleave", "blur"])
    button.addEventListener(type, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  // A screen reader clicks without pressing.
  button.addEventListener("click", () => {
    if (!handled) act();
    handled = false;
  });
}
