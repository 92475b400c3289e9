// The holder of an API key, who has no session: what the key has used, and what is left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED } from "./app-service.ts";
import { act, heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

test("a key shows its usage and budgets without a session, until it is forgotten", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  const secret = await service.fill("held key");
  await using visit = await openVisit(browser, service.origin);
  const { page, context } = visit;
  await page.goto(service.origin);
  await page.getByRole("link", { name: "Holders of an API key see its usage" }).click();
  await heading(page, "Usage of a key");
  await page.getByLabel("API key").fill("sk_wrong");
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByRole("alert").getByText("invalid_api_key").waitFor();
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.getByLabel("API key").fill(secret);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByText("held key", { exact: true }).waitFor();
  assert.equal(await page.getByText("1 response", { exact: false }).count(), 2, "today and this month");
  const budget = page.getByRole("table", { name: "Budgets" }).getByRole("row", { name: /^The organization a month/ });
  await budget.getByRole("cell", { name: "1,000.00" }).waitFor();
  const month = new Date();
  const reset = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  assert.equal(await budget.locator("time").getAttribute("datetime"), reset.toISOString());
  await visit.look("the page of a key");
  // Kept in the tab alone: a reload has it, another window has not.
  await page.reload();
  await page.getByText("held key", { exact: true }).waitFor();
  assert.deepEqual(await context.cookies(), []);
  assert.equal(await page.evaluate("localStorage.length"), 0);
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.getByLabel("API key").waitFor();
  await page.reload();
  await page.getByLabel("API key").waitFor();
  assert.equal((await service.create(secret, { model: PRICED, input: "x" })).status, "completed");
});

test("a key that is revoked ends nobody's session", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const secret = await service.fill("revoked meanwhile");
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Playground");
  await page.getByLabel("API key").fill(secret);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByRole("link", { name: "Usage of the key" }).click();
  await page.getByRole("button", { name: "Ask for more: The organization, a month" }).click();
  const keys = `/organizations/${service.organizationId}/keys`;
  const { data } = (await service.ask("GET", keys)) as { data: readonly { id: string; name: string }[] };
  await service.ask("POST", `${keys}/${data.find(({ name }) => name === "revoked meanwhile")?.id}/revoke`);
  await page.getByLabel("Credits in addition").fill("5");
  await page.getByRole("button", { name: "Send the request" }).click();
  await page.getByRole("alert").getByText("invalid_api_key").waitFor();
  await page.goBack();
  await heading(page, "Playground");
});

test("an owner limits one key, and its holder reads by what", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  const secret = await service.fill("limited key");
  const request = { model: PRICED, input: "Hello" };
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Keys");
  await act(page, "limited key", "Limits limited key");
  const dialog = page.getByRole("dialog", { name: "Limits of the key limited key" });
  await dialog.getByLabel("Only the models on a list may be used").check();
  await dialog.getByLabel("simulated/echo", { exact: true }).check();
  await dialog.getByLabel("Create requests a minute").fill("50");
  await visit.look("the limits of a key");
  await dialog.getByRole("button", { name: "Save the limits" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await service.create(secret, request))["error"]?.["code"], "model_policy_violation");
  assert.equal((await service.create(secret, { ...request, model: "simulated/echo" })).status, "completed");

  await using other = await openVisit(browser, service.origin);
  await other.page.goto(`${service.origin}/key`);
  await other.page.getByLabel("API key").fill(secret);
  await other.page.getByRole("button", { name: "Use the key" }).click();
  await other.page.getByText("Limits of its own: only simulated/echo; Create requests a minute: 50").waitFor();

  // What is left as it is stays, and an empty field ends a limit.
  await act(page, "limited key", "Limits limited key");
  await dialog.getByLabel("Create requests a minute").fill("");
  await dialog.getByRole("button", { name: "Save the limits" }).click();
  await dialog.waitFor({ state: "detached" });
  await other.page.reload();
  await other.page.getByText(/^Limits of its own: only simulated\/echo$/).waitFor();
});
