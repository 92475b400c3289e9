// A page by keyboard alone: what has the focus, Tab to a control, and a whole round of Tab.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";

/** More than any screen has controls. */
const PRESSES_MAX = 500;

/** The name of a control: its label or its text. */
const NAME_OF =
  '(at) => (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent).trim().slice(0, 80)';

export async function focusedName(page: Page): Promise<string> {
  return String(await page.evaluate(`(${NAME_OF})(document.activeElement)`));
}

const isNamed = (found: string, name: string | RegExp) =>
  typeof name === "string" ? found === name : name.test(found);

/** Presses Tab until the control has the focus; `within`: the one inside what that selector finds. */
export async function tabTo(page: Page, name: string | RegExp, within = "*"): Promise<void> {
  const focused = page.locator(`${within} :focus`);
  for (let presses = 0; presses < PRESSES_MAX; presses++) {
    if (isNamed(await focusedName(page), name) && (await focused.count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never reached ${String(name)}; it is at ${await focusedName(page)}`);
}

/** Presses a key on a control. */
export async function press(page: Page, name: string | RegExp, key: "Enter" | "Space" = "Enter"): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

/** Chooses an action of a row by its full name, in the menu of what the row is. */
export async function pressAction(page: Page, of: string, action: string): Promise<void> {
  await press(page, `Actions of ${of}`);
  await page.locator("[role=menuitem]:focus").waitFor();
  for (let presses = 0; (await focusedName(page)) !== action; presses++) {
    assert.ok(presses < PRESSES_MAX, `the menu has no ${action}`);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

/** Waits until a control has the focus, without a press of Tab. */
export async function focusIs(page: Page, name: string | RegExp): Promise<void> {
  await until(`the focus on ${String(name)}`, async () => isNamed(await focusedName(page), name));
}

/** A dialog listens once it has the focus. */
export function dialogHasFocus(page: Page): Promise<void> {
  return page.locator("[role=dialog] :focus").waitFor();
}

/** Closes the dialog by Escape; the focus is then on the control that opened it. */
export async function escapeTo(page: Page, opener: string): Promise<void> {
  await dialogHasFocus(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focusIs(page, opener);
}

/** Closes the dialog of a secret by its button; the focus is then on the control that opened it. */
export async function copiedTo(page: Page, opener: string): Promise<void> {
  await dialogHasFocus(page);
  await press(page, "I have copied it");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focusIs(page, opener);
}

/** Notes the controls that a mouse can use, and how each looks without the focus. */
const NOTE_CONTROLS = (within: string) => `(() => {
  const still = new CSSStyleSheet();
  still.replaceSync("* { transition: none !important }");
  document.adoptedStyleSheets = [still];
  const looks = (at) => [at, at.parentElement].map((each) => {
    const { outlineStyle, outlineWidth, borderColor, boxShadow } = getComputedStyle(each);
    return [outlineStyle, outlineWidth, borderColor, boxShadow].join();
  }).join();
  const isOffered = (at) => at.checkVisibility({ visibilityProperty: true }) && !at.disabled &&
    !(at.type === "radio" && !at.checked) && !(at.role === "tab" && at.ariaSelected !== "true");
  const selector = "a[href], button, input, select, textarea, summary, [role=region]";
  const controls = [...document.querySelector("${within}").querySelectorAll(selector)].filter(isOffered);
  const { activeElement } = document;
  activeElement.blur();
  const before = controls.map(looks);
  activeElement.focus();
  window.walk = { controls, before, looks };
  return controls.map(${NAME_OF});
})()`;

const LOOK_AT_FOCUS = `(() => {
  const { controls, before, looks } = window.walk;
  const at = controls.indexOf(document.activeElement);
  return { at, isSeen: at < 0 || before[at] !== looks(document.activeElement) };
})()`;

/** A round of Tab: every control gets the focus, in the order of the page, and shows it. */
export async function walkByTab(page: Page, within: "body" | "[role=dialog]" = "body"): Promise<void> {
  const names = (await page.evaluate(NOTE_CONTROLS(within))) as readonly string[];
  const met: number[] = [];
  for (let presses = 0; presses < PRESSES_MAX; presses++) {
    await page.keyboard.press("Tab");
    const { at, isSeen } = (await page.evaluate(LOOK_AT_FOCUS)) as { at: number; isSeen: boolean };
    if (at === met[0] && met.length > 1) break;
    // Tab stops several times in a field for a date, and at places that scroll.
    if (at < 0 || at === met.at(-1)) continue;
    assert.ok(isSeen, `nothing shows that ${String(names[at])} has the focus`);
    met.push(at);
  }
  const first = met.indexOf(0);
  const inOrder = [...met.slice(first), ...met.slice(0, first)];
  assert.deepEqual(
    inOrder.map((at) => names[at]),
    names,
  );
}
