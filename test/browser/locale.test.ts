// Numbers, money and times, also in a browser whose locale is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

/** A browser that was started under LC_ALL=C has a language that is no locale. */
const POSIX = 'Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix" })';

test("a browser with the locale en-US@posix shows numbers, times and charts", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  await service.fill("posix");
  await using visit = await openVisit(browser, service.origin);
  const { page, context } = visit;
  await context.addInitScript(POSIX);
  await page.goto(await service.linkOf("owner@localhost"));
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Overview");
  await page.getByText("Spent this month").waitFor();
  for (const name of ["Usage", "Responses"]) {
    await open(page, name);
    await page.locator("figure canvas").waitFor();
  }
  for (const name of ["Keys", "Budgets and credits", "Audit log"]) {
    await open(page, name);
    await page.getByRole("table").first().waitFor();
  }
});

test("amounts have their dollars, and times their seconds and UTC on hover", NEEDS_BROWSER, async () => {
  const { service } = stage();
  // A token of output costs a hundredth of a credit, and a credit is a cent.
  await service.create(service.key, { model: PRICED, input: "/usage input=0 output=420" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Responses");
  const row = page.getByRole("table", { name: "Responses" }).getByRole("row").nth(1);
  await row.getByText("4.20").waitFor();
  await row.getByText("$0.04").waitFor();
  const began = row.locator("time");
  assert.match((await began.textContent()) ?? "", /ago$/);
  const title = (await began.getAttribute("title")) ?? "";
  assert.match(title, /:\d\d GMT-[45]\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  await open(page, "Budgets and credits");
  await page.getByText(/^[\d,]+\.\d\d credits$/).waitFor();
});
