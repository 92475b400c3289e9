// Takes the pictures of docs/app.md: `npm run screenshots`. People, times, ids and figures are the same in every run, so
// that only a change of the app changes a picture. `npm run screenshots -- FOLDER [NAME…]` takes each screen as a whole
// instead, or those that are named, at the width of a laptop and of a phone, in both colour schemes, for a look at them.
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { pricedEcho, startAppService } from "./app-service.ts";
import { launchBrowser } from "./browser.ts";
import { responseOf, sendMessage } from "./chat.ts";
import { keyLooks, type Look, memberLooks, operatorLooks, ownerLooks } from "./looks.ts";
import { fill, MODELS, PictureClock } from "./picture-data.ts";
import { PICTURE_BYTES_MAX, type PictureName } from "./pictures.ts";

const FOLDER = fileURLToPath(new URL("../../docs/app/", import.meta.url));
const SIZE = { width: 1200, height: 800 };
const QUALITY = 55;
/** Where the pictures for a look go, undefined: those of the page are taken; and which, none: all. */
const [LOOK_FOLDER, ...WANTED] = process.argv.slice(2);
const LOOK_WIDTHS = [1440, 390];

/** Replaces what differs from run to run, in the page alone. */
const SETTLE = `(() => {
  const seen = new Map();
  const numbered = (kind, text) => {
    const id = seen.get(text) ?? seen.size + 1;
    seen.set(text, id);
    return kind + String(id).padStart(text.length - kind.length, "0");
  };
  let ticks = 0;
  // An id that is shortened has its middle in an element of its own.
  for (const middle of document.querySelectorAll(".id-middle")) {
    const whole = middle.parentElement.textContent;
    const settled = numbered(/^[a-z]+_/.exec(whole)[0], whole);
    const [head, tail] = [middle.previousSibling, middle.nextSibling];
    const at = head.data.length;
    head.data = settled.slice(0, at);
    tail.data = settled.slice(-tail.data.length);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    // The times that the browser has measured.
    const isMeasured = node.parentElement.closest("[aria-label^='Wire of response']") !== null;
    const settled = node.data
      .replace(/\\b([a-z]{2,5}_)[0-9a-f]{32}\\b/g, (text, kind) => numbered(kind, text))
      .replace(/\\b[0-9a-f]{64}\\b/g, (text) => numbered("", text))
      .replace(/\\b(sk_\\w{4})\\w{20,}/g, (text) => "sk_".padEnd(text.length, "0"))
      .replace(/127\\.0\\.0\\.1:\\d+/g, "127.0.0.1:8081")
      .replaceAll(${JSON.stringify(`${hostname()}:${process.pid}`)}, "gateway:1")
      .replace(/\\/tmp\\/[\\w/.-]+\\.db/g, "./data/turngate.db")
      .replace(/ *\\d+ ms/g, (text) => (isMeasured ? ((ticks += 13) + " ms").padStart(text.length) : text));
    if (settled !== node.data) node.data = settled;
  }
})()`;

const isWanted = (name: string) => WANTED.length === 0 || WANTED.includes(name);

async function take(page: Page, name: PictureName): Promise<void> {
  if (!isWanted(name)) return;
  await settle(page);
  if (LOOK_FOLDER !== undefined) return takeAll(page, `${LOOK_FOLDER}/${name}`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > PICTURE_BYTES_MAX) throw new Error(`${name} has ${bytes.length} bytes`);
  await writeFile(`${FOLDER}${name}.webp`, bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  // Charts are drawn after their data.
  await delay(500);
  await page.mouse.move(0, 0);
  await page.evaluate(SETTLE);
  await page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)");
  // The border of a field that had the focus fades.
  await delay(300);
}

/** The whole screen, or what is seen without scrolling, in each width and scheme. */
async function takeAll(page: Page, path: string, { widths = LOOK_WIDTHS, fullPage = true } = {}): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ ...SIZE, width });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await delay(300);
      await page.screenshot({ path: `${path}-${width}-${colorScheme}.png`, fullPage });
    }
  }
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Further states of screens, only for a look. What an open dialog covers is not looked at. */
async function takeLooks(page: Page, origin: string, looks: readonly Look[]): Promise<void> {
  if (LOOK_FOLDER === undefined) return;
  for (const { name, path, open, width } of looks.filter((look) => isWanted(look.name))) {
    await page.setViewportSize({ ...SIZE, width: width ?? SIZE.width });
    await page.goto(origin + path);
    await settle(page);
    await open?.(page);
    await settle(page);
    const widths = width === undefined ? LOOK_WIDTHS : [width];
    await takeAll(page, `${LOOK_FOLDER}/${name}`, { widths, fullPage: open === undefined });
  }
}

const clock = new PictureClock();
const [service, browser] = await Promise.all([
  startAppService({ clock, publicUrl: "https://api.acme.example/v1", models: MODELS.map((id) => pricedEcho(id)) }),
  launchBrowser(),
]);
try {
  await mkdir(LOOK_FOLDER ?? FOLDER, { recursive: true });
  const { key, responseId, failedId, requestId, newOrganizationId } = await fill(service, clock);
  const options = {
    viewport: SIZE,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    colorScheme: "light",
  } as const;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.nowMs());
  const show = (path: string) => page.goto(service.origin + path);
  const enter = async (link: string, screen: string) => {
    await context.clearCookies();
    await page.goto(link);
    await page.getByRole("button", { name: "Open the app" }).click();
    await page.getByRole("heading", { name: screen }).waitFor();
  };
  const of = `/organizations/${service.organizationId}`;

  await show("/");
  await take(page, "sign-in");

  const link = await service.linkOf("grace@acme.example");
  await takeLooks(page, "", [{ name: "sign-in-link", path: link }]);
  await enter(await service.linkOf("ada@acme.example"), "Overview");
  for (const [name, path] of [
    ["overview", `${of}/overview`],
    ["keys", `${of}/keys`],
    ["usage", `${of}/usage?from=2026-11-09&to=2026-11-23`],
    ["turns", `${of}/turns`],
    ["turn", `${of}/turns/${responseId}`],
    ["turn-failed", `${of}/turns/${failedId}`],
    ["budgets", `${of}/budgets`],
    ["members", `${of}/members`],
    ["policy", `${of}/policy`],
    ["events", `${of}/events`],
    ["audit", `${of}/audit`],
    ["models", "/models"],
    ["account", "/account"],
  ] as const) {
    await show(path);
    await take(page, name);
  }

  await takeLooks(page, service.origin, ownerLooks(of));

  await show(`${of}/errors?request=${requestId}`);
  await page.getByText("What would let it through:").waitFor();
  // The text of a field is not settled.
  await page.getByLabel("Request id").fill("");
  await take(page, "errors");

  await show(`${of}/keys`);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("mobile app");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByTestId("secret").waitFor();
  await take(page, "key-created");

  await show(`${of}/budgets`);
  await page.getByRole("button", { name: "Set a budget" }).click();
  await page.getByLabel("Limits what is spent by").selectOption("key");
  await page.getByLabel("Key", { exact: true }).selectOption("chat backend");
  await page.getByLabel("Limit, credits").fill("50");
  await page.getByRole("button", { name: "Try it on last month" }).click();
  await page.getByText(/^It would have rejected/).waitFor();
  await take(page, "set-budget");

  await show(`${of}/overview`);
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox").fill("a");
  await page.getByRole("option").nth(3).waitFor();
  await take(page, "search");

  await show("/playground");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption(MODELS[0]);
  await sendMessage(page, "/reason The person asks for the weather.\n/say It is **sunny** in Paris.");
  await responseOf(page, 1).getByText("completed", { exact: true }).waitFor();
  await page.getByTestId("events").waitFor();
  await take(page, "playground");
  await page.getByRole("button", { name: "Compare with a second model" }).click();
  await page.getByLabel("Second model").selectOption(MODELS[1]);
  await sendMessage(page, "/say Take a coat: it is cold in the evening.");
  for (const at of [0, 1]) await responseOf(page, 2).nth(at).getByText("completed", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Settings" }).click();
  await take(page, "playground-two");
  await show("/key");
  await take(page, "key");
  await takeLooks(page, service.origin, keyLooks);

  await enter(await service.linkOf("linus@acme.example"), "Overview");
  await take(page, "overview-member");
  await takeLooks(page, service.origin, memberLooks(of));

  await enter(await service.operatorLink("Ada"), "Organizations");
  await take(page, "organizations");
  for (const [name, path] of [
    ["overview-new", `/organizations/${newOrganizationId}/overview`],
    ["service", "/service"],
    ["usage-of-all", "/service/usage?by=organization"],
    ["events-of-all", "/service/events"],
    ["audit-of-all", "/service/audit"],
  ] as const) {
    await show(path);
    await take(page, name);
  }
  await takeLooks(page, service.origin, operatorLooks(of));
} finally {
  await browser.close();
  await service.close();
}
