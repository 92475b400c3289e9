// The common setup of the app's tests: a service, a browser, and signed-in people.
import { after, before } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { type AppService, type AppSettings, startAppService } from "./app-service.ts";
import { closeBrowser, launchBrowser, NO_BROWSER } from "./browser.ts";
import { openNextVisit, type Visit } from "./visit.ts";

export interface Stage {
  readonly service: AppService;
  readonly browser: Browser;
}

/** The options of each test. */
export const NEEDS_BROWSER = { skip: NO_BROWSER };

/** One service for all tests of a file, and the browser that files share: both take seconds to start. */
export function shareStage(settings: AppSettings = {}): () => Stage {
  let service: AppService | undefined;
  let browser: Browser | undefined;
  before(async () => {
    if (NO_BROWSER === false) [service, browser] = await Promise.all([startAppService(settings), launchBrowser()]);
  });
  after(async () => {
    if (browser !== undefined) await closeBrowser(browser);
    await service?.close();
  });
  return () => {
    if (service === undefined || browser === undefined) throw new Error("the stage is not set yet");
    return { service, browser };
  };
}

/** The password of everybody who is signed in here. */
export const PASSWORD = "four words of mine";

/** A window of a person who signs in with a new link. */
export async function visitAs(stage: Stage, email: string): Promise<Visit> {
  const { service, browser } = stage;
  const visit = await openNextVisit(browser, service.origin);
  await visit.page.goto(await service.linkOf(email));
  await visit.page.getByRole("button", { name: "Open the app" }).click();
  await heading(visit.page, "Overview");
  return visit;
}

/** A window of an operator, who signs in with a link. */
export async function visitAsOperator({ service, browser }: Stage, name = "Ada"): Promise<Visit> {
  const visit = await openNextVisit(browser, service.origin);
  const { page } = visit;
  await page.goto(await service.operatorLink(name));
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Organizations");
  return visit;
}

/** Waits for the heading of a screen. */
export function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
}

/** Opens a screen by the menu, or the account by that of the person. */
export async function open(page: Page, name: string): Promise<void> {
  if (name === "Account") await openPersonMenu(page);
  const within = name === "Account" ? page.getByRole("region", { name: "Head" }) : page.getByRole("navigation");
  await within.getByRole("link", { name, exact: true }).click();
  await heading(page, name);
}

/** Chooses an action of a row by its full name, in the menu of what the row is. */
export async function act(within: Page | Locator, of: string, action: string): Promise<void> {
  await within
    .getByRole("button", { name: `Actions of ${of}`, exact: true })
    .first()
    .click();
  await within.getByRole("menuitem", { name: action, exact: true }).click();
}

/** Opens the choice of the filters that are not set yet. */
export function addFilter(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Add filter", exact: true }).click();
}

/** Opens a tab of a screen. */
export function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole("tab", { name, exact: true }).click();
}

/** Opens the menu of the person. */
export function openPersonMenu(page: Page): Promise<void> {
  return page.getByRole("button", { name: /^Signed in as / }).click();
}

/** Presses the button that ends the session. */
export async function signOut(page: Page): Promise<void> {
  await openPersonMenu(page);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}
