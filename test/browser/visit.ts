// A browser window that reports every error in it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { isDrawn, isNameDrawn, REPEATS_THIS } from "../support/drawn.ts";
import { WAIT_MS } from "./browser.ts";
import { leaveWindow, openWindow, takeWindow } from "./windows.ts";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Bytes transferred so far, and the time when the page's scripts had run, milliseconds after its start. */
  loaded(): Promise<{ bytes: number; usableMs: number }>;
  /** The work of the page's main thread during an action, milliseconds: scripts, styles, layout and painting. */
  workOf(action: () => Promise<void>): Promise<number>;
  /**
   * Checks the screen that is shown, in both colour schemes, at the width of a small laptop and of a phone. `npm test`
   * looks at a drawn third: by the place in a list of screens, else by the name.
   */
  look(name: string, at?: number): Promise<void>;
}

/** Opens a window. At its end it fails if a script threw, the policy forbade something or another origin was asked. */
export async function openVisit(
  browser: Browser,
  origin: string,
  /** Origins besides the app's own that the browser may visit. */
  others: readonly string[] = [],
): Promise<Visit> {
  const page = await openWindow(browser);
  return visitOf(page, [origin, ...others], () => page.context().close());
}

/** The same in a window that another test may have left, for a test that doesn't look at what the browser has kept. */
export async function openNextVisit(browser: Browser, origin: string): Promise<Visit> {
  const page = await takeWindow(browser);
  return visitOf(page, [origin], () => leaveWindow(page, browser));
}

function visitOf(page: Page, origins: readonly string[], leave: () => Promise<void>): Visit {
  const context = page.context();
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(`threw: ${error.message}`));
  page.on("console", (message) => {
    // The browser reports every response other than 2xx, which the app handles.
    const isResponse = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isResponse) wrong.push(`said: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isAllowed = url.protocol === "blob:" || origins.includes(url.origin);
    if (!isAllowed) wrong.push(`asked ${request.url()}`);
  });
  return {
    page,
    context,
    async loaded() {
      const measured = await page.evaluate(`(() => {
        const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        const files = all.filter(({ name }) => !name.includes("/manage/api"));
        return {
          bytes: files.reduce((sum, { transferSize }) => sum + transferSize, 0),
          usableMs: performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint")?.startTime ?? 0,
        };
      })()`);
      return measured as { bytes: number; usableMs: number };
    },
    async workOf(action) {
      const session = await context.newCDPSession(page);
      await session.send("Performance.enable");
      const taskSeconds = async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
      };
      const before = await taskSeconds();
      await action();
      const after = await taskSeconds();
      await session.detach();
      return (after - before) * 1000;
    },
    async look(name, at) {
      if (!(at === undefined ? isNameDrawn(name) : isDrawn(at))) return;
      const title = `${name} (${REPEATS_THIS})`;
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        // The schemes differ in their colours only.
        const rules = colorScheme === "light" ? "" : 'runOnly: ["color-contrast"],';
        await holdsSoon(async () =>
          assert.deepEqual(await findViolations(page, rules), [], `${title}, ${colorScheme}`),
        );
      }
      const size = page.viewportSize();
      await page.setViewportSize({ width: 1200, height: 800 });
      await holdsSoon(async () => assert.deepEqual(await page.evaluate(CUT_TABLES), [], `${title}, at 1,200 pixels`));
      await page.setViewportSize({ width: 380, height: 800 });
      await holdsSoon(async () => {
        const width = await page.evaluate("document.documentElement.scrollWidth");
        assert.ok(Number(width) <= 380, `${title} is ${String(width)} pixels wide on a phone`);
        assert.deepEqual(await page.evaluate(CUT_TABLES), [], `${title}, on a phone`);
      });
      if (size !== null) await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: null });
    },
    async [Symbol.asyncDispose]() {
      await leave();
      assert.deepEqual(wrong, []);
    },
  };
}

/** The tables that are wider than their place. */
const CUT_TABLES = `[...document.querySelectorAll(".table-scroll")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((table) => table.getAttribute("aria-label"))`;

/** Repeats a check while the screen is still changing: colours fade and a chart follows the width of the window. */
async function holdsSoon(check: () => Promise<void>): Promise<void> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(100);
    }
  }
}

/** The findings of axe-core, in short. What it has no objection to is long, and stays in the browser. */
async function findViolations(page: Page, rules: string): Promise<readonly string[]> {
  // By the debugger's own channel: the policy forbids a script element of ours.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const found = await page.evaluate(`axe.run(document, { ${rules} resultTypes: ["violations"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => \`\${id}: \${html} \${failureSummary ?? ""}\`)))`);
  return found as readonly string[];
}
