// A budget and a policy tried on the last month, by an owner.
import { test } from "node:test";
import { NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test(
  "an owner tries a budget on the last month, sees what it would have rejected, and the turns",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await service.fill("tried");
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Budgets and credits");
    await page.getByRole("button", { name: "Set a budget" }).click();
    const dialog = page.getByRole("dialog", { name: "Set a budget" });
    const trial = dialog.getByRole("button", { name: "Try it on last month" });
    await dialog.getByLabel("Limit, credits").fill("1000000");
    await trial.click();
    await dialog.getByText(/^It would have rejected none of \d+ responses since/).waitFor();
    await dialog.getByLabel("Limit, credits").fill("0");
    await dialog.getByText(/^It would have rejected none/).waitFor({ state: "detached" });
    await trial.press("Enter");
    await dialog.getByText(/^It would have rejected at least \d+ of \d+ responses since/).waitFor();
    await visit.look("the dialog of a budget that was tried");
    await dialog
      .getByRole("link", { name: /the responses of the rest of the period$/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Responses", exact: true }).waitFor();
    await page.getByRole("cell", { name: "completed" }).first().waitFor();
  },
);

test("an owner tries a policy on the last month", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.fill("tried too");
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Policy and limits");
  const trial = page.getByRole("button", { name: "Try it on last month" });
  await trial.click();
  await page.getByText(/^It would have rejected none of \d+ responses since/).waitFor();
  await page.getByRole("checkbox", { name: "Only the models on a list may be used" }).click();
  await trial.click();
  await page.getByText(/^It would have rejected \d+ of \d+ responses since/).waitFor();
  await page.getByRole("table", { name: "Responses that the policy would have rejected" }).waitFor();
  await visit.look("a policy that was tried");
});
