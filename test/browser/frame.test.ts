// The frame of every screen: the organization, the menu on a phone, what waits, and the person.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogHasFocus, focusIs, press } from "./keyboard.ts";
import { heading, NEEDS_BROWSER, open, openPersonMenu, shareStage, visitAs, visitAsOperator } from "./stage.ts";

const stage = shareStage();
const PHONE = { width: 390, height: 844 };

test("an operator goes to the same screen of another organization, and back to all", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { id } = await service.ask("POST", "/organizations", { name: "Example Labs", credits: 5 });
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await page.goto(`${service.origin}/organizations/${service.organizationId}/keys`);
  await heading(page, "Keys");
  await page.getByRole("cell", { name: "first key", exact: true }).waitFor();
  const head = page.getByRole("region", { name: "Head" });
  await head.getByRole("button", { name: /^Organization: / }).click();
  await visit.look("the choice of an organization");
  await page.getByLabel("Go to an organization").fill("labs");
  assert.deepEqual(await head.getByRole("listitem").allTextContents(), ["Example Labs", "All organizations"]);
  await head.getByRole("link", { name: "Example Labs" }).click();
  await page.waitForURL(`**/organizations/${id}/keys`);
  await page.getByText("No key yet").waitFor();
  // The menu has closed, and by keyboard alone it opens again.
  await head.getByRole("button", { name: "Organization: Example Labs" }).waitFor();
  await head.getByRole("link", { name: "All organizations" }).waitFor({ state: "hidden" });
  await press(page, "Organization: Example Labs");
  await press(page, "All organizations");
  await heading(page, "Organizations");
});

test("the head of a member names the organization and offers no other", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "one@acme.test");
  const { page } = visit;
  const head = page.getByRole("region", { name: "Head" });
  await head.getByText("default", { exact: true }).waitFor();
  assert.equal(await head.getByRole("button", { name: /^Organization/ }).count(), 0);
});

test("on a phone the menu is a drawer, which a visit and Escape close", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await page.setViewportSize(PHONE);
  await page.getByRole("navigation").waitFor({ state: "detached" });
  const menu = page.getByRole("dialog").getByRole("navigation", { name: "Screens" });
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.waitFor();
  await visit.look("the drawer");
  // A wide window has no drawer.
  await page.setViewportSize({ width: 1200, height: 800 });
  await menu.waitFor({ state: "detached" });
  await page.setViewportSize(PHONE);
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "Keys", exact: true }).click();
  await heading(page, "Keys");
  await menu.waitFor({ state: "detached" });
  await press(page, "Menu");
  await dialogHasFocus(page);
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await focusIs(page, "Menu");
});

test("the menu marks the screen where something waits, until it is done", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const secret = await service.fill("one that asks");
  const asked = await fetch(`${service.origin}/manage/api/me/budget-increases`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ scope: "organization", period: "month", amount: 5 }),
  });
  assert.equal(asked.status, 200, await asked.text());
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const entry = page.getByRole("listitem").filter({ hasText: "Budgets and credits" });
  const mark = entry.getByText("thing waits for you");
  await mark.waitFor();
  await open(page, "Budgets and credits");
  await page.getByRole("button", { name: /^Grant 5\.00.* to one that asks$/ }).click();
  await mark.waitFor({ state: "detached" });
});

test("the colours that a person chooses are kept, and the menu shows which", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await openPersonMenu(page);
  await visit.look("the person's menu");
  await page.getByRole("button", { name: "Dark", exact: true }).click();
  const scheme = () => page.evaluate("document.documentElement.dataset.mantineColorScheme");
  assert.equal(await scheme(), "dark");
  await page.reload();
  await heading(page, "Overview");
  assert.equal(await scheme(), "dark");
  await openPersonMenu(page);
  await page.getByRole("button", { name: "Dark", exact: true, pressed: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor({ state: "hidden" });
});

test("the reference of the API has the logo and the colours of the app, and leads back", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("navigation").getByRole("link", { name: "API reference" }).click();
  await page
    .getByRole("button", { name: /\/responses$/ })
    .first()
    .waitFor();
  assert.match(String(await page.evaluate("document.documentElement.className")), /dark-mode/);
  await page.getByRole("link", { name: "/manage/api" }).click();
  await page.getByRole("heading", { name: /^Turngate: management/ }).waitFor();
  await page.getByRole("link", { name: "Back to the app" }).click();
  await heading(page, "Overview");
});
