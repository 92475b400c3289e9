// A budget raised for a while, by an owner.
import { test } from "node:test";
import { act, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test("an owner raises a budget until a time, sees it, and ends the raise", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.fill("raised");
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Budgets and credits");
  const row = page.getByRole("row", { name: /^the organization a month/ });
  const raise = () =>
    act(page, "the budget of the organization, a month", "Raise the budget of the organization, a month");
  await raise();
  const dialog = page.getByRole("dialog", { name: "Raise the budget of the organization" });
  await dialog.getByLabel("Credits in addition").fill("5");
  await visit.look("the dialog of a raise");
  await dialog.getByRole("button", { name: "Raise the budget" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByRole("cell", { name: /^by 5\.00 credits .*until/ }).waitFor();
  await raise();
  await dialog.getByLabel("Credits in addition").fill("0");
  await dialog.getByRole("button", { name: "Raise the budget" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByRole("cell", { name: /^by 5\.00/ }).waitFor({ state: "detached" });
});
