// The holder of a key asks for more than a budget's limit; an owner grants it by one click, or declines it.
import { test } from "node:test";
import { heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

test("a holder asks for more, an owner grants it by one click, and the holder sees it", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  const secret = await service.fill("asking key");
  await using holder = await openVisit(browser, service.origin);
  await holder.page.goto(`${service.origin}/key`);
  await heading(holder.page, "Usage of a key");
  await holder.page.getByLabel("API key").fill(secret);
  await holder.page.getByRole("button", { name: "Use the key" }).click();
  const ask = async (amount: string) => {
    await holder.page.getByRole("button", { name: "Ask for more: The organization, a month" }).click();
    await holder.page.getByLabel("Credits in addition").fill(amount);
    await holder.look("the dialog of a request for more");
    await holder.page.getByRole("button", { name: "Send the request" }).click();
    await holder.page.getByRole("cell", { name: new RegExp(`^${amount}\\.00 credits .* more, `) }).waitFor();
  };
  await ask("25");

  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  // The overview shows it at once.
  await page.getByRole("row", { name: /^asking key the organization a month 25\.00/ }).waitFor();
  await open(page, "Budgets and credits");
  await page.getByRole("heading", { name: "Requests for more" }).waitFor();
  await visit.look("requests for more");
  await page.getByRole("button", { name: "Grant 25.00 credits ($0.25) to asking key" }).click();
  await page.getByRole("heading", { name: "Requests for more" }).waitFor({ state: "detached" });
  await page.getByRole("cell", { name: /^by 25\.00 credits .*until/ }).waitFor();
  await holder.page.reload();
  await holder.page.getByRole("row", { name: /^The organization a month .* 1,025\.00/ }).waitFor();

  await ask("50");
  await page.reload();
  await page.getByRole("button", { name: "Decline the request of asking key" }).click();
  await page.getByRole("dialog", { name: "Decline the request of asking key?" }).waitFor();
  await page.getByRole("button", { name: "Decline the request", exact: true }).click();
  await page.getByRole("heading", { name: "Requests for more" }).waitFor({ state: "detached" });
  await page.getByRole("cell", { name: /^by 25\.00 credits .*until/ }).waitFor();
});
