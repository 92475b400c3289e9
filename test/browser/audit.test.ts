// The audit log: its filters are asked of the interface, stand in the URL, and speak of names and actions in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addFilter, heading, NEEDS_BROWSER, open, shareStage, visitAs, visitAsOperator } from "./stage.ts";

const stage = shareStage();
/** More than a page: the first entries are not among those that the screen reads at first. */
const CHANGES = 60;

test(
  "an owner finds entries by action, who and on what, however old, and a link shows the same",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    const path = `/organizations/${service.organizationId}`;
    for (let index = 0; index < CHANGES; index++) {
      // oxlint-disable-next-line no-await-in-loop -- one change after the other
      await service.ask("POST", `${path}/limits`, { open_streams: index + 1 });
    }
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
    await open(page, "Audit log");
    await rows.getByText("limits set", { exact: true }).first().waitFor();
    assert.equal(await rows.filter({ hasText: "key created" }).count(), 0);

    await addFilter(page);
    await page.getByLabel("Action", { exact: true }).selectOption("key created");
    await page.waitForURL(/[?&]action=key\.create/);
    await rows.filter({ hasText: "limits set" }).first().waitFor({ state: "detached" });
    await rows.filter({ hasText: "key created" }).filter({ hasText: "first key" }).waitFor();
    await page.reload();
    await rows.filter({ hasText: "first key" }).waitFor();
    await page.getByRole("button", { name: "Action: key created" }).waitFor();
    await visit.look("the audit log with a filter");

    await page.getByRole("button", { name: "Clear the filters" }).click();
    await addFilter(page);
    await page.getByLabel("On", { exact: true }).fill("first key");
    await page.keyboard.press("Enter");
    // The URL has the id, the field and the chip have the name.
    await page.waitForURL(/[?&]target=key_/);
    await rows.filter({ hasText: "key created" }).waitFor();
    assert.equal(await page.getByLabel("On", { exact: true }).inputValue(), "first key");
    await page.getByRole("button", { name: "On: first key" }).waitFor();
    assert.equal(await rows.filter({ hasText: "limits set" }).count(), 0);

    await page.getByRole("button", { name: "Remove the filter On" }).click();
    await page.waitForURL((url) => !url.searchParams.has("target"));
    await rows.filter({ hasText: "limits set" }).first().waitFor();
    await addFilter(page);
    await page.getByLabel("Who", { exact: true }).fill("owner@localhost");
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]actor=mem_/);
    await rows.filter({ hasText: "session started" }).filter({ hasText: "member owner@localhost" }).first().waitFor();
    assert.equal(await rows.filter({ hasNotText: "member owner@localhost" }).count(), 0);

    await page.getByLabel("Who", { exact: true }).fill("nobody at all");
    await page.keyboard.press("Enter");
    await page.getByText("No such entry").waitFor();
  },
);

test("an operator finds entries of all organizations", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  const rows = page.getByRole("table", { name: "Audit log of all organizations" }).locator("tbody tr");
  await page.getByRole("navigation").getByRole("link", { name: "Audit log of all", exact: true }).click();
  await heading(page, "Audit log of all organizations");
  await addFilter(page);
  await page.getByLabel("Who", { exact: true }).fill("OWNER@localhost");
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]actor=OWNER/);
  await rows.filter({ hasText: "limits set" }).first().waitFor({ state: "detached" });
  await rows.filter({ hasText: "session started" }).first().waitFor();
});
