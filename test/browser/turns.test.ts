// The log of turns: what ran, filtered by the URL, live, and one turn; from usage and keys to the turns behind a number.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { PRICED } from "./app-service.ts";
import { addFilter, heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

const rows = (page: Page) => page.getByRole("table", { name: "Responses" }).locator("tbody tr");
const countIs = (page: Page, count: number) =>
  rows(page)
    .nth(count - 1)
    .waitFor();

test(
  "turns appear as they run, a filter is in the URL, and one turn shows its times and charge",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Responses");
    await page.getByText("No such response").waitFor();
    await service.create(service.key, { model: PRICED, input: "a secret" });
    // Nobody reloads the screen.
    await countIs(page, 1);
    const failed = await service.create(service.key, { model: "simulated/echo", input: "/fail provider_error" });
    assert.equal(failed.status, "failed");
    await countIs(page, 2);
    await visit.look("the log of turns");

    await addFilter(page);
    await page.getByLabel("Status", { exact: true }).selectOption("failed");
    await page.waitForURL(/[?&]status=failed/);
    await rows(page).filter({ hasText: PRICED }).waitFor({ state: "detached" });
    await rows(page).getByText("provider_error").waitFor();
    await page.getByRole("figure").filter({ hasText: "Responses of these filters by day" }).getByRole("img").waitFor();
    await page.reload();
    await rows(page).getByText("provider_error").waitFor();
    await page.getByRole("button", { name: "Status: failed (every code)" }).waitFor();
    assert.equal(await rows(page).count(), 1);
    await rows(page).getByRole("link").first().click();
    await page.getByRole("heading", { name: "Why it failed" }).waitFor();
    await page.getByText("The model's provider failed.").waitFor();
    await page.getByText(/^The client was told: The provider's response could not be used/).waitFor();
    await visit.look("a turn that failed");
    await page.goBack();
    await rows(page).getByText("provider_error").waitFor();

    await page.getByRole("button", { name: "Remove the filter Status" }).click();
    await page.waitForURL(/turns$/);
    await rows(page).filter({ hasText: PRICED }).getByRole("link").click();
    await heading(page, "Response");
    const timeline = page.getByRole("table", { name: "Timeline" });
    await timeline.getByRole("cell", { name: "first output" }).waitFor();
    await timeline.getByRole("cell", { name: "ended" }).waitFor();
    await page.getByText(/^Charged [\d.]+ credits/).waitFor();
    await page
      .getByRole("table", { name: "Transfers" })
      .getByRole("cell", { name: "charged for a response" })
      .waitFor();
    await visit.look("a turn");
    assert.ok(!(await page.content()).includes("a secret"));
    await page.getByRole("link", { name: "first key" }).click();
    await heading(page, "Responses");
    await page.waitForURL(/[?&]key=key_/);
    await countIs(page, 2);

    await open(page, "Overview");
    await page.getByRole("link", { name: "1, the errors behind provider_error" }).click();
    await page.waitForURL(/\/errors\?code=provider_error/);
    await heading(page, "Errors");
    await open(page, "Overview");
    await page.getByRole("link", { name: "1, the errors behind all failures" }).click();
    await page.waitForURL(/\/errors$/);
    await heading(page, "Errors");
  },
);

test("a number of usage and of a key leads to the turns behind it", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await service.create(service.key, { model: "simulated/echo", input: "Hi" });
  await open(page, "Keys");
  const row = page.getByRole("row", { name: "first key" });
  await row.getByText("never").waitFor({ state: "detached" });
  await row
    .getByRole("link", { name: /the responses of first key$/ })
    .first()
    .click();
  await heading(page, "Responses");
  await rows(page).filter({ hasText: "simulated/echo" }).first().waitFor();
  await open(page, "Usage");
  await page.getByLabel("By", { exact: true }).selectOption("model");
  await page.getByRole("link", { name: "the responses of simulated/echo" }).first().click();
  await page.waitForURL(/[?&]model=simulated/);
  await rows(page).filter({ hasText: "simulated/echo" }).first().waitFor();
  assert.equal(await rows(page).filter({ hasNotText: "simulated/echo" }).count(), 0);
});

test("a transfer of the ledger leads to its turn", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { id } = await service.create(service.key, { model: PRICED, input: "Hi" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Budgets and credits");
  const transfers = page.getByRole("table", { name: "Transfers" });
  await transfers.getByRole("row", { name: "charged for a response" }).getByRole("link", { name: id }).click();
  await heading(page, "Response");
  await page.getByRole("code").getByText(id, { exact: true }).first().waitFor();
  await page.goBack();
  await heading(page, "Budgets and credits");
  await page.getByLabel("Top-ups only").check();
  await transfers.getByRole("row", { name: "charged for a response" }).first().waitFor({ state: "detached" });
  await transfers.getByRole("cell", { name: "top-up" }).first().waitFor();
});

test("a member sees the responses of own keys only", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "reader@acme.test");
  const { page } = visit;
  await open(page, "Responses");
  await page.getByText("What ran with your keys").waitFor();
  await page.getByText("No such response").waitFor();
  await addFilter(page);
  await page.getByLabel("Label", { exact: true }).waitFor();
  assert.equal(await page.getByLabel("Member", { exact: true }).count(), 0);
  await open(page, "Overview");
  await page.getByText("Failures in 24 hours").waitFor();
  await page.getByRole("link", { name: "0, the errors behind all failures" }).waitFor();
  await open(page, "Errors");
  await page.getByText("Every request of your keys of the last 24 hours got its response.").waitFor();
});

test(
  "a rejected request is explained by its id, in the URL, and the changes before it are events",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    const { organizationId } = service;
    const path = `/organizations/${organizationId}`;
    const budget = { scope: "organization", period: "day", limit: 0 };
    await service.ask("POST", `${path}/budgets`, budget);
    assert.equal(
      (await service.create(service.key, { model: PRICED, input: "Hi" })).error.code,
      "scope_budget_exceeded",
    );
    await service.ask("POST", `${path}/budgets/clear`, { scope: "organization", period: "day" });
    // Rejections are kept in batches.
    const kept = async () => (await service.ask("GET", `${path}/rejections`)).data as readonly { request_id: string }[];
    await until("the rejection", async () => (await kept()).length > 0);
    const [rejected] = await kept();
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Errors");
    const table = page.getByRole("table", { name: "Errors", exact: true });
    await table.getByRole("cell", { name: "scope_budget_exceeded" }).first().waitFor();
    await page.getByLabel("Request id").fill("req_never");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("This request was not kept").waitFor();
    await page.getByLabel("Request id").fill(rejected?.request_id ?? "");
    await page.getByRole("button", { name: "Explain" }).click();
    await page
      .getByText(/^The client was told: The spending limit of your organization for the day is used up/)
      .waitFor();
    await page.getByText("An owner or admin raises the budget for a while").waitFor();
    await page.getByText(/^Now: [\d,.]+ credits/).waitFor();
    await page.waitForURL(/[?&]request=req_/);
    await visit.look("a rejected request");
    await open(page, "Events");
    const events = page.getByRole("table", { name: "Events" });
    await events.getByRole("cell", { name: /^The daily budget of .+ was removed\.$/ }).waitFor();
    await events
      .getByRole("cell", { name: /^The daily budget of .+ was set to 0\.00 credits \(\$0\.00\)\.$/ })
      .waitFor();
  },
);

/** Fewer rows than before: the table has these alone. */
const exactly = (page: Page, count: number) =>
  until(`${count} turns`, async () => (await rows(page).count()) === count);

test("turns are found by end user, by what clients send, and by conversation", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { secret } = await service.ask("POST", `/organizations/${service.organizationId}/keys`, { name: "end users" });
  const model = "simulated/echo";
  for (const user of ["person-1", "person-1", "person-2"]) {
    await service.create(secret, { model, input: "Hello", safety_identifier: user });
  }
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Responses");
  await addFilter(page);
  await page.getByLabel("Key", { exact: true }).selectOption({ label: "end users" });
  await page.getByRole("button", { name: "Key: end users" }).waitFor();
  await countIs(page, 3);
  await page.getByLabel("End user", { exact: true }).fill("person-2");
  await page.getByLabel("End user", { exact: true }).press("Enter");
  await page.waitForURL(/[?&]safety_identifier=person-2/);
  await exactly(page, 1);
  await page.getByLabel("End user", { exact: true }).fill("person-1");
  // Leaving the field is enough.
  await page.getByLabel("Conversation", { exact: true }).fill("none");
  await exactly(page, 2);
  await page.getByLabel("Conversation", { exact: true }).press("Enter");
  await page.waitForURL(/[?&]conversation=none/);
  await rows(page).first().getByRole("link").click();
  await heading(page, "Response");
  // The log has the hash alone, which is a filter too.
  assert.ok(!(await page.content()).includes("person-1"));
  await page.getByRole("link", { name: /^[0-9a-f]{32}$/ }).click();
  await heading(page, "Responses");
  await page.waitForURL(/[?&]end_user=[0-9a-f]{32}$/);
  await exactly(page, 2);
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.waitForURL(/turns$/);
});

test("turns are grouped, in the URL, and a group leads to its turns", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { secret } = await service.ask("POST", `/organizations/${service.organizationId}/keys`, { name: "grouped" });
  const people = [{ safety_identifier: "person-3" }, { safety_identifier: "person-3" }, {}];
  for (const person of people) await service.create(secret, { model: PRICED, input: "Hello", ...person });
  await service.create(secret, {
    model: "simulated/echo",
    input: "/fail provider_error",
    safety_identifier: "person-4",
  });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Responses");
  await addFilter(page);
  await page.getByLabel("Key", { exact: true }).selectOption({ label: "grouped" });
  await page.keyboard.press("Escape");
  await page.getByLabel("Group by").selectOption("end user");
  await page.waitForURL(/[?&]by=end_user/);
  const groups = page.getByRole("table", { name: "Responses by end user" });
  const cells = (row: number) => groups.locator("tbody tr").nth(row).locator("td").allInnerTexts();
  await groups.waitFor();
  assert.deepEqual((await cells(0)).slice(1, 3), ["2", "0"], "the one that was charged");
  assert.deepEqual((await cells(1)).slice(1, 3), ["1", "1"], "the one that failed");
  assert.deepEqual((await cells(2)).slice(0, 3), ["without an end user", "1", "0"]);
  assert.deepEqual((await groups.locator("tfoot td").allInnerTexts()).slice(0, 3), ["Total", "4", "1"]);
  await visit.look("groups of turns");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  assert.equal((await saved).suggestedFilename(), "responses-by-end_user.csv");
  await page.reload();
  await groups.getByRole("link", { name: /^2, the responses of [0-9a-f]{32}$/ }).click();
  await page.waitForURL(/[?&]end_user=[0-9a-f]{32}/);
  await exactly(page, 2);
  await groups.waitFor({ state: "detached" });
  await page.goBack();
  await groups.getByRole("link", { name: "1, the responses of without an end user" }).click();
  await page.waitForURL(/[?&]end_user=none/);
  await exactly(page, 1);
});
