// Windows of the browser. One that a test has left serves the next test of its file: a new one loads and compiles the
// whole app again, which is half of what a short test costs.
import type { Browser, Page } from "playwright-core";
import { WAIT_MS } from "./browser.ts";

/** The windows of each browser that are empty again. */
const left = new WeakMap<Browser, Page[]>();

/** A window of somebody who has never been here. */
export async function openWindow(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    locale: "en-GB",
    // Its days are not those of the service.
    timezoneId: "America/New_York",
  });
  context.setDefaultTimeout(WAIT_MS);
  await context.addInitScript(FASTER_INTERVALS);
  return context.newPage();
}

/** A window without traces of earlier visits: cookies, stored values, routes, permissions. Its cache stays. */
export async function takeWindow(browser: Browser): Promise<Page> {
  const page = left.get(browser)?.pop();
  if (page === undefined) return openWindow(browser);
  // The browser has closed the windows of the file before.
  return page.isClosed() ? takeWindow(browser) : page;
}

/** Empties a window, for the next test to take; closes it if that fails. */
export async function leaveWindow(page: Page, browser: Browser): Promise<void> {
  const context = page.context();
  try {
    for (const event of EVENTS) page.removeAllListeners(event);
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    // Of the same site: for another one the browser would start a new process.
    const empty = new URL("/empty", page.url()).href;
    await page.route(empty, (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto(empty);
    await page.unroute(empty);
    await Promise.all([
      context.clearCookies(),
      context.clearPermissions(),
      page.setViewportSize(SIZE),
      page.mouse.move(0, 0),
    ]);
    await page.emulateMedia({ colorScheme: null });
    left.set(browser, [...(left.get(browser) ?? []), page]);
  } catch {
    await context.close();
  }
}

/** Those that tests listen to. */
const EVENTS = ["console", "pageerror", "request", "response"] as const;

/** Playwright's default. */
const SIZE = { width: 1280, height: 720 } as const;

/** The app asks again every few seconds. Here that is a second: many tests wait for what has changed meanwhile. */
const FASTER_INTERVALS = `{
  const { setInterval } = window;
  window.setInterval = (work, milliseconds, ...given) => setInterval(work, Math.min(milliseconds, 1000), ...given);
}`;
