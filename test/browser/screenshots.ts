// Takes the pictures of docs/app.md: `npm run screenshots`. People, times, ids and figures are the same in every run, so
// that only a change of the app changes a picture. `npm run screenshots -- FOLDER` takes each screen as a whole instead,
// at the width of a laptop and of a phone, in both colour schemes, for a look at all of them.
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type AppService, pricedEcho, startAppService } from "./app-service.ts";
import { launchBrowser } from "./browser.ts";
import { PICTURE_BYTES_MAX, type PictureName } from "./pictures.ts";

const FOLDER = fileURLToPath(new URL("../../docs/app/", import.meta.url));
const NOW = Date.UTC(2026, 10, 23, 15, 30);
const SIZE = { width: 1200, height: 800 };
const QUALITY = 55;
/** Where the pictures for a look go; undefined: those of the page are taken. */
const LOOK_FOLDER = process.argv[2];
const LOOK_WIDTHS = [1440, 390];
const MODELS = ["anthropic/claude-opus-5-5", "google/gemini-3.8-flash", "openai/gpt-6.1-terra"];

/** Turns of each day, today last. */
const DAYS = [3, 5, 4, 0, 1, 6, 7, 5, 8, 4, 1, 2, 9, 6];

/** How long the provider takes. */
const PROVIDER_MS = 420;

/** Time goes on while the provider works, and not otherwise. */
class PictureClock extends FakeClock {
  override after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds === PROVIDER_MS) setImmediate(() => void this.advance(milliseconds));
    return super.after(milliseconds, callback);
  }
}

interface Filled {
  readonly key: string;
  readonly responseId: string;
  readonly requestId: string;
}

/** Gives the service an organization with two weeks of use. The clock then shows NOW. */
async function fill({ ask, create, origin, organizationId }: AppService, clock: FakeClock): Promise<Filled> {
  const of = `/organizations/${organizationId}`;
  await ask("POST", of, { name: "Acme" });
  // Lists are in the order of creation.
  const tick = () => clock.setWall(MINUTE_MS);
  const people = ["ada@acme.example", "grace@acme.example", "linus@acme.example"];
  for (const [index, email] of people.entries()) {
    await ask("POST", `${of}/members`, { email, role: (["owner", "admin", "member"] as const)[index] });
    tick();
  }
  const keys: string[] = [];
  for (const [name, member] of [
    ["chat backend", undefined],
    ["support assistant", people[1]],
    ["nightly evaluation", people[2]],
  ]) {
    const { secret } = await ask("POST", `${of}/keys`, { name, ...(member === undefined ? {} : { member }) });
    keys.push(secret);
    tick();
  }
  await ask("POST", `${of}/tokens`, { name: "deployment", role: "admin" });
  await ask("POST", `${of}/budgets`, { scope: "organization", period: "month", limit: 1000 });
  await ask("POST", `${of}/budgets`, { scope: "member", id: people[2], period: "month", limit: 200 });
  await ask("POST", `${of}/policy`, { deny_models: [MODELS[2]], tool_calls_per_turn: 25 });
  // Rejected, and kept before the pictures: time goes on with the turns below.
  await create(keys[1] ?? "", { model: MODELS[2], input: "Hello" });
  await ask("POST", `${of}/policy`, { deny_models: [] });
  await ask("POST", `${of}/limits`, { open_streams: 50 });
  await ask("POST", "/organizations", { name: "Example Labs", credits: 500 });
  let responseId = "";
  for (const [index, turns] of DAYS.entries()) {
    setTime(clock, NOW - (DAYS.length - 1 - index) * DAY_MS - 3 * HOUR_MS);
    for (let turn = 0; turn < turns; turn++) {
      const model = MODELS[(index + turn) % MODELS.length];
      const key = keys[(index * 2 + turn) % keys.length] ?? "";
      const isFailing = (index + turn) % 7 === 6;
      const usage = `/usage input=${1800 + 370 * turn} output=${200 + 70 * index}`;
      const text = isFailing ? "/fail provider_overloaded" : `${usage}\n/wait ${PROVIDER_MS}\nHello`;
      const { id } = await create(key, { model, input: text });
      if (!isFailing) responseId = id;
      clock.setWall(17 * MINUTE_MS);
    }
  }
  setTime(clock, NOW);
  const asked = await fetch(`${origin}/manage/api/me/budget-increases`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys[2] ?? ""}` },
    body: JSON.stringify({ scope: "member", period: "month", amount: 50 }),
  });
  if (!asked.ok) throw new Error(await asked.text());
  const [rejected] = (await ask("GET", `${of}/rejections`)).data as readonly { request_id: string }[];
  return { key: keys[0] ?? "", responseId, requestId: rejected?.request_id ?? "" };
}

function setTime(clock: FakeClock, nowMs: number): void {
  clock.setWall(nowMs - clock.nowMs());
}

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
    const isMeasured = node.parentElement.closest("[aria-label^='Wire of turn']") !== null;
    const settled = node.data
      .replace(/\\b([a-z]{2,5}_)[0-9a-f]{32}\\b/g, (text, kind) => numbered(kind, text))
      .replace(/\\b[0-9a-f]{64}\\b/g, (text) => numbered("", text))
      .replace(/127\\.0\\.0\\.1:\\d+/g, "127.0.0.1:8081")
      .replaceAll(${JSON.stringify(`${hostname()}:${process.pid}`)}, "gateway:1")
      .replace(/\\/tmp\\/[\\w/.-]+\\.db/g, "./data/turngate.db")
      .replace(/ *\\d+ ms/g, (text) => (isMeasured ? ((ticks += 13) + " ms").padStart(text.length) : text));
    if (settled !== node.data) node.data = settled;
  }
})()`;

async function take(page: Page, name: PictureName): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  // Charts are drawn after their data.
  await delay(500);
  await page.evaluate(SETTLE);
  await page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)");
  if (LOOK_FOLDER !== undefined) return takeAll(page, `${LOOK_FOLDER}/${name}`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > PICTURE_BYTES_MAX) throw new Error(`${name} has ${bytes.length} bytes`);
  await writeFile(`${FOLDER}${name}.webp`, bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

/** The whole screen in each width and scheme. */
async function takeAll(page: Page, path: string): Promise<void> {
  for (const width of LOOK_WIDTHS) {
    await page.setViewportSize({ ...SIZE, width });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await delay(300);
      await page.screenshot({ path: `${path}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: "light" });
}

const clock = new PictureClock(NOW - DAYS.length * DAY_MS);
const [service, browser] = await Promise.all([
  startAppService({ clock, publicUrl: "https://api.acme.example/v1", models: MODELS.map((id) => pricedEcho(id)) }),
  launchBrowser(),
]);
try {
  await mkdir(FOLDER, { recursive: true });
  const { key, responseId, requestId } = await fill(service, clock);
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
  const of = `/organizations/${service.organizationId}`;

  await show("/");
  await take(page, "sign-in");

  await page.goto(await service.linkOf("ada@acme.example"));
  await page.getByRole("button", { name: "Open the app" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const [name, path] of [
    ["overview", `${of}/overview`],
    ["keys", `${of}/keys`],
    ["usage", `${of}/usage?from=2026-11-09&to=2026-11-23`],
    ["turns", `${of}/turns`],
    ["turn", `${of}/turns/${responseId}`],
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

  await show(`${of}/errors?request=${requestId}`);
  await page.getByText("What would let it through:").waitFor();
  await page.getByLabel("Request id").fill("");
  await take(page, "errors");

  await show("/playground");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption(MODELS[0] ?? "");
  await page.getByLabel("Message").fill("/say It is sunny in Paris.\n/reason The person asks for the weather.");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("completed", { exact: true }).waitFor();
  await page.getByTestId("events").waitFor();
  await take(page, "playground");
  await show("/key");
  await take(page, "key");

  await context.clearCookies();
  await page.goto(await service.operatorLink("Ada"));
  await page.getByRole("button", { name: "Open the app" }).click();
  await page.getByRole("heading", { name: "Organizations" }).waitFor();
  await take(page, "organizations");
  await show("/service");
  await take(page, "service");
  await show("/service/usage?by=organization");
  await take(page, "usage-of-all");
  await show("/service/events");
  await take(page, "events-of-all");
  await show("/service/audit");
  await take(page, "audit-of-all");
} finally {
  await browser.close();
  await service.close();
}
