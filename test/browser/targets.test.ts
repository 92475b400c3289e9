// The page of a turn that moved on: what was tried, how long, why it failed and where it ran.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SIMULATED_MODELS } from "../../src/providers/simulated/models.ts";
import { modelOfTargets, targetOf } from "../support/targets.ts";
import { heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const at = (upstreamModel: string, order: number) =>
  targetOf("simulated", { upstreamModel, target: `simulated/${upstreamModel}`, order });
const CHEAP = { ...at("slow", 3), prices: { input: 0.5, cached_input: 0.5, cache_write: 0.5, output: 1 } };
const FAST = modelOfTargets([at("fails-provider_rate_limited", 1), at("fails-provider_overloaded", 2), CHEAP], {
  id: "team/fast",
});
const stage = shareStage({ models: [...SIMULATED_MODELS, FAST] });

test("a turn that moved on shows each call on its time", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const made = await service.create(service.key, { model: FAST.id, input: "Hello" });
  assert.equal(made["svc:target"], "simulated/slow");
  await service.create(service.key, { model: "simulated/echo", input: "Hello" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Responses");
  const turn = (model: string) =>
    page.getByRole("table", { name: "Responses" }).locator("tbody tr").filter({ hasText: model });
  await turn(FAST.id).getByRole("link").first().click();
  await heading(page, "Response");
  const calls = page.getByRole("table", { name: "Targets" }).locator("tbody tr");
  await calls.nth(2).waitFor();
  const cells = await Promise.all([0, 1, 2].map((row) => calls.nth(row).locator("td").allInnerTexts()));
  assert.deepEqual(
    cells.map(([target, outcome]) => [target, outcome]),
    [
      ["simulated/fails-provider_rate_limited", "provider_rate_limited 429"],
      ["simulated/fails-provider_overloaded", "provider_overloaded 529"],
      ["simulated/slow", "completed"],
    ],
  );
  assert.match(cells[2]?.[4] ?? "", /^[\d,.]+ ms$/);
  const [whole, last] = await Promise.all([
    calls.nth(2).locator(".waterfall").boundingBox(),
    calls.nth(2).locator(".waterfall-good").boundingBox(),
  ]);
  assert.ok(
    whole !== null && last !== null && last.width > whole.width / 2,
    "the call that took longest is the longest bar",
  );
  await visit.look("a turn that moved on");

  await page.goBack();
  await turn("simulated/echo").getByRole("link").first().click();
  await page.getByRole("table", { name: "Timeline" }).waitFor();
  assert.equal(await page.getByRole("table", { name: "Targets" }).count(), 0);
});

test(
  "the catalog shows every target of a model, and its prices from the lowest to the highest",
  NEEDS_BROWSER,
  async () => {
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Models");
    const row = page.getByRole("table", { name: "Models" }).locator("tbody tr").filter({ hasText: FAST.id });
    const cells = await row.locator("td").allInnerTexts();
    assert.equal(cells[1], "simulated");
    await row.getByTitle("simulated as fails-provider_rate_limited, fails-provider_overloaded, slow").first().waitFor();
    assert.ok(cells.includes("free –\n$0.50"), JSON.stringify(cells));
    await visit.look("a catalog with targets");
  },
);
