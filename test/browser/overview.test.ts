// The overview: what needs a person first, the first steps of a new organization, and its charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test("the first steps tick themselves and leave when all are done", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await page.getByText("First steps: 1 of 3 done").waitFor();
  await page.getByRole("listitem").filter({ hasText: "A key" }).getByRole("img", { name: "Done" }).waitFor();
  await visit.look("an overview with first steps");
  // Charts of nothing come with the first response.
  const chart = page.getByText("Spent in 14 days");
  assert.equal(await chart.count(), 0);
  await page.getByLabel("API key").fill(service.key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByRole("button", { name: "Send the first request" }).click();
  await page.getByText(/^The answer of simulated\/\w+: ./).waitFor();
  // Without a reload: the figures are read again. The answer stays.
  await page.getByText("First steps: 2 of 3 done").waitFor();
  await page.getByText(/^The answer of /).waitFor();
  await chart.waitFor();
  await visit.look("an overview with the first answer");
  await open(page, "Budgets and credits");
  await page.getByRole("button", { name: "Set a budget" }).click();
  await page.getByLabel(/^Limit, credits/).fill("100");
  await page.getByRole("button", { name: "Set the budget" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await open(page, "Overview");
  await page.getByText("Spent this month").waitFor();
  await page.getByText(/^First steps/).waitFor({ state: "detached" });
});

test("what needs a person stands first, and leads to where it is mended", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await page.getByText("Nothing needs you now.").waitFor();
  await open(page, "Budgets and credits");
  await page.getByRole("button", { name: "Set a budget" }).click();
  await page.getByLabel("Limits what is spent by").selectOption("organization-day");
  await page.getByLabel(/^Limit, credits/).fill("1");
  await page.getByRole("button", { name: "Set the budget" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await service.create(service.key, { model: PRICED, input: "/usage input=0 output=95" });
  await page.reload();
  await open(page, "Overview");
  const item = page.getByRole("listitem").filter({ hasText: /^The budget of a day of the organization is used/ });
  await item.waitFor();
  await visit.look("an overview that needs a person");
  await item.getByRole("link", { name: "Budgets and credits" }).click();
  await heading(page, "Budgets and credits");
});

test("an outage of a provider needs a person, although no response came to be", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const outage = { model: PRICED, input: "/fail provider_unavailable" };
  for (let request = 0; request < 4; request++) {
    const response = await fetch(`${service.origin}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: JSON.stringify(outage),
    });
    assert.ok(response.status >= 500, String(response.status));
  }
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const item = page.getByRole("listitem").filter({ hasText: /requests failed within two hours/ });
  await item.getByText("most by provider_unavailable").waitFor();
  // The rate counts them, too.
  const rate = page.getByText(/^\d+ of \d+ requests$/);
  const [failed = 0, all = 0] = ((await rate.textContent()) ?? "").match(/\d+/g)?.map(Number) ?? [];
  assert.ok(failed >= 4 && all > failed, `${failed} of ${all}`);
  await item.getByRole("link", { name: "Errors" }).click();
  await page.getByRole("button", { name: "Code: provider_unavailable" }).waitFor();
});

test("an organization that is gone shows one error, which no second try would mend", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await page.goto(`${stage().service.origin}/organizations/org_gone/overview`);
  await page.getByRole("main").getByRole("alert").waitFor();
  assert.equal(await page.getByRole("alert").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
});

test("a chart shows the numbers of the bar below the pointer", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.create(service.key, { model: PRICED, input: "Hello" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const chart = page.getByRole("figure").filter({ hasText: "Responses in 14 days" });
  await chart.getByRole("list", { name: "Legend" }).getByText(PRICED).waitFor();
  const bars = chart.locator(".u-over");
  const place = await bars.boundingBox();
  assert.ok(place !== null);
  // Today is the last bar.
  await bars.hover({ position: { x: place.width - 8, y: place.height - 8 } });
  const tooltip = chart.locator(".chart-tooltip");
  await tooltip.getByText(PRICED).waitFor();
  assert.match((await tooltip.textContent()) ?? "", /all ?\d+$/);
  await page.mouse.move(2, 2);
  await tooltip.waitFor({ state: "detached" });
});

test("nothing waits for the usage of all time", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.create(service.key, { model: PRICED, input: "Hello" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Keys");
  const { promise: isSeen, resolve: onSeen } = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(/\/usage$/, async (route) => {
    asked++;
    await isSeen;
    await route.continue();
  });
  // What the sign-in has read is gone.
  await page.reload();
  await open(page, "Overview");
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const title of ["Spent in 14 days", "The last hour", "Models this month", "Budgets"])
    await page.getByRole("main").getByText(title, { exact: true }).first().waitFor();
  assert.equal(asked, 1);
  onSeen();
});

test("a member without a key sees whom to ask, by name", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "new@acme.test");
  const { page } = visit;
  const owner = page.getByRole("main").getByRole("link", { name: "owner@localhost" });
  assert.equal(await owner.getAttribute("href"), "mailto:owner%40localhost");
  await visit.look("an overview of a member without a key");
  await open(page, "Keys");
  await page.getByText("It appears here when you have one.").waitFor();
  await owner.waitFor();
});
