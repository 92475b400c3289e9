// Where the focus goes when the control that has it vanishes. By itself it would be lost, and Tab would begin at the top.

const CONTROLS = "a[href], button, input, select, textarea";

/** A control with everything around it, from the inside out. */
export type Place = readonly HTMLElement[];

export function placeOf(control: Element | null): Place {
  const place: HTMLElement[] = [];
  for (let at = control; at instanceof HTMLElement && at !== document.body; at = at.parentElement) place.push(at);
  return place;
}

/** Focuses the control of a place. If it is gone, focuses what is left near it: a table, a group's last control or a heading. */
export function focusPlace([control, ...around]: Place): void {
  const target = control?.isConnected === true ? control : around.map(targetIn).find((found) => found !== null);
  target?.focus({ preventScroll: true });
}

function targetIn(element: HTMLElement): HTMLElement | null {
  if (!element.isConnected) return null;
  if (element.tabIndex >= 0) return element;
  if (element.role === "group") return [...element.querySelectorAll<HTMLElement>(CONTROLS)].at(-1) ?? null;
  const heading = element.querySelector<HTMLElement>("h1, h2");
  if (heading !== null) heading.tabIndex = -1;
  return heading;
}

/** Watches the page. When the control with the focus is removed, what is left near it gets the focus. */
export function keepFocus(): void {
  let place: Place = [];
  document.addEventListener("focusin", ({ target }) => {
    place = placeOf(target as Element);
  });
  const observer = new MutationObserver(() => {
    const isLost = place[0]?.isConnected === false && document.activeElement === document.body;
    if (isLost) focusPlace(place);
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
