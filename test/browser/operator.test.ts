// An operator: any id from anywhere, and where money stands in all organizations.
import { test } from "node:test";
import { until } from "../support/until.ts";
import { PRICED } from "./app-service.ts";
import { heading, NEEDS_BROWSER, shareStage, visitAsOperator } from "./stage.ts";

const stage = shareStage();

test("an operator finds a request by its id without going to an organization first", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const response = await fetch(`${service.origin}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: PRICED, input: "Hello" }),
  });
  await response.text();
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await page
    .getByRole("button", { name: /^Search/ })
    .first()
    .click();
  await page.getByRole("combobox").fill(response.headers.get("x-request-id") ?? "");
  await page.getByRole("option").filter({ hasText: "completed, in default" }).click();
  await heading(page, "Response");
});

test("all budgets and the last rejected requests stand in one place", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { organizationId } = service;
  await service.ask("POST", `/organizations/${organizationId}/budgets`, {
    scope: "organization",
    period: "month",
    limit: 1,
  });
  await service.create(service.key, { model: PRICED, input: "/usage input=0 output=110" });
  await service.create(service.key, { model: PRICED, input: "Hello" });
  await until("a rejected request", async () => {
    const { data } = await service.ask("GET", `/organizations/${organizationId}/rejections`);
    return (data as readonly object[]).length > 0;
  });
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  const row = page.getByRole("table", { name: "Organizations" }).getByRole("row", { name: /^default/ });
  await row.getByText("blocked: a budget used up").waitFor();
  const budgets = page.getByRole("table", { name: "Budgets of all organizations" });
  await budgets
    .getByRole("row", { name: /^default the organization a month/ })
    .getByText("used up")
    .waitFor();
  await visit.look("the organizations");
  await row.getByRole("link", { name: "scope_budget_exceeded" }).click();
  await heading(page, "Errors");
  await page.getByText("What would let it through:").waitFor();
});
