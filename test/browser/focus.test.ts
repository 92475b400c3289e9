// A control that vanishes when it is pressed leaves the focus near its place: lost, it would begin anew at the top.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogHasFocus, focusIs, press, pressAction, tabTo } from "./keyboard.ts";
import { addFilter, heading, NEEDS_BROWSER, open, shareStage, visitAs } from "./stage.ts";

const stage = shareStage();

test("filters that are cleared leave the focus on a filter", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  for (const [screen, filter] of [
    ["Responses", "Status"],
    ["Audit log", "Action"],
  ] as const) {
    await open(page, screen);
    await addFilter(page);
    await page.getByLabel(filter, { exact: true }).selectOption({ index: 1 });
    await page.keyboard.press("Escape");
    await press(page, "Clear the filters");
    await page.getByRole("button", { name: "Clear the filters" }).waitFor({ state: "detached" });
    await focusIs(page, "Add filter");
  }
});

test("a key that is used or forgotten leaves the focus on the heading", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Playground");
  await tabTo(page, "API key *");
  await page.keyboard.type(service.key);
  await press(page, "Use the key");
  await focusIs(page, "Playground");
  await page.getByLabel("Message").waitFor();
  await press(page, "Forget the key");
  await page.getByLabel("API key").waitFor();
  await focusIs(page, "Playground");
});

test(
  "requests that are granted leave the focus on their table, and the last one on the heading",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    for (const name of ["one that asks", "another that asks"]) {
      const secret = await service.fill(name);
      const asked = await fetch(`${service.origin}/manage/api/me/budget-increases`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ scope: "organization", period: "month", amount: 5 }),
      });
      assert.equal(asked.status, 200, await asked.text());
    }
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    await open(page, "Budgets and credits");
    await press(page, "Grant 5.00 credits ($0.05) to one that asks");
    await page
      .getByRole("button", { name: "Grant 5.00 credits ($0.05) to one that asks" })
      .waitFor({ state: "detached" });
    await focusIs(page, "Requests for more");
    await press(page, "Decline the request of another that asks");
    await dialogHasFocus(page);
    await press(page, "Decline the request");
    await page.getByRole("heading", { name: "Requests for more" }).waitFor({ state: "detached" });
    await focusIs(page, "Budgets and credits");
  },
);

test("a key that is revoked leaves the focus on the table of the others", NEEDS_BROWSER, async () => {
  await stage().service.fill("soon revoked");
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Keys");
  await pressAction(page, "soon revoked", "Revoke soon revoked");
  await dialogHasFocus(page);
  await press(page, "Revoke the key");
  await page.getByRole("cell", { name: "soon revoked", exact: true }).waitFor({ state: "detached" });
  await focusIs(page, "Keys");
});

test("a link to another screen leaves the focus on its heading", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.create(service.key, { model: "simulated/echo", input: "Hello" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Responses");
  const first = page.getByRole("table", { name: "Responses" }).getByRole("row").nth(1).getByRole("link").first();
  // Its text says how long ago that was, which changes.
  await first.focus();
  await page.keyboard.press("Enter");
  await heading(page, "Response");
  await focusIs(page, "Response");
});

test("a policy is tried and saved, and the buttons keep the focus", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  await open(page, "Policy and limits");
  const model = page.getByRole("checkbox", { name: "simulated/thinks", exact: true });
  await press(page, "simulated/thinks", "Space");
  assert.ok(await model.isChecked());
  await press(page, "Try it on last month");
  await page.getByText(/^It would have rejected /).waitFor();
  await focusIs(page, "Try it on last month");
  await press(page, "Save the policy");
  await page.getByText("Saved", { exact: true }).waitFor();
  await focusIs(page, "Save the policy");
});
