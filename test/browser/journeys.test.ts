// What people come for, with a stopwatch: from the signed-in link to the first answer, and to a budget that holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { act, heading, NEEDS_BROWSER, open, shareStage } from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

/** A person reads between the clicks; the app may take a fraction of the minute. */
const MINUTE_MS = 60_000;
const OF_THE_APP_MS = MINUTE_MS / 2;

test("from the sign-in link a key is made and used in under a minute", NEEDS_BROWSER, async (t) => {
  const { service, browser } = stage();
  await using visit = await openVisit(browser, service.origin);
  const { page } = visit;
  const link = await service.linkOf("owner@localhost");
  const startMs = performance.now();
  await page.goto(link);
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Overview");
  await open(page, "Keys");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("first use");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("button", { name: "Send the first request" }).click();
  await page.getByText(/^The answer of simulated\/\w+: ./).waitFor();
  const tookMs = performance.now() - startMs;
  t.diagnostic(`from the link to the first answer: ${Math.round(tookMs)} ms, 5 clicks and a name`);
  assert.ok(tookMs < OF_THE_APP_MS, `it took ${tookMs} ms`);
});

test("a budget is set and seen to hold in under a minute", NEEDS_BROWSER, async (t) => {
  const { service, browser } = stage();
  const secret = await service.fill("with a budget");
  await using visit = await openVisit(browser, service.origin);
  const { page } = visit;
  await page.goto(await service.linkOf("owner@localhost"));
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Overview");
  const startMs = performance.now();
  await open(page, "Keys");
  await act(page, "with a budget", "Budget with a budget");
  await page.getByLabel(/^Limit, credits/).fill("1");
  await page.getByRole("button", { name: "Set the budget" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Programs go on to use the key, until the budget stops them.
  const { error } = await service.create(secret, { model: PRICED, input: "/stream 50 0 40" });
  assert.equal(error?.code, "scope_budget_exceeded");
  await page.getByRole("navigation").getByRole("link", { name: "Responses", exact: true }).click();
  await page.getByRole("table", { name: "Responses" }).getByText("scope_budget_exceeded").first().waitFor();
  await open(page, "Keys");
  await page.getByRole("meter", { name: /^Budget of with a budget: (9\d|100) %$/ }).waitFor();
  const tookMs = performance.now() - startMs;
  t.diagnostic(`a budget set and seen to hold: ${Math.round(tookMs)} ms`);
  assert.ok(tookMs < OF_THE_APP_MS, `it took ${tookMs} ms`);
});
