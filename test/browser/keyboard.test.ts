// Every screen by keyboard alone: a round of Tab on each, and what people do there. Nothing here uses the mouse.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { isDrawn, REPEATS_THIS } from "../support/drawn.ts";
import { PRICED } from "./app-service.ts";
import {
  copiedTo,
  dialogHasFocus,
  escapeTo,
  focusedName,
  focusIs,
  press,
  pressAction,
  tabTo,
  walkByTab,
} from "./keyboard.ts";
import { heading, NEEDS_BROWSER, PASSWORD, shareStage, type Stage } from "./stage.ts";
import { openNextVisit, openVisit, type Visit } from "./visit.ts";
import { OF_OWNERS } from "./screen-names.ts";

const stage = shareStage();

/** A window of a person who opens a sign-in link and presses Enter. */
async function visitByLink({ browser, service }: Stage, link: string, screen: string): Promise<Visit> {
  const visit = await openNextVisit(browser, service.origin);
  await visit.page.goto(link);
  await press(visit.page, "Open the app");
  await heading(visit.page, screen);
  return visit;
}
const visitAsOwner = async () => visitByLink(stage(), await stage().service.linkOf("owner@localhost"), "Overview");
const visitAsOperator = async () => visitByLink(stage(), await stage().service.operatorLink("Ada"), "Organizations");

/** Opens a screen by the menu. */
async function openByMenu(page: Page, name: string, title = name): Promise<void> {
  if (name === "Account") await press(page, /^Signed in as /);
  // Lists have columns with the names of screens.
  await tabTo(page, name, name === "Account" ? "*" : "nav");
  await page.keyboard.press("Enter");
  await heading(page, title);
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
}

test("a person sets a password, skips the menu, signs out, and signs in again", NEEDS_BROWSER, async () => {
  const { browser, service } = stage();
  await using visit = await openVisit(browser, service.origin);
  const { page } = visit;
  const { keyboard } = page;
  await page.goto(await service.linkOf("walker@acme.test"));
  await heading(page, "Welcome");
  await walkByTab(page);
  await tabTo(page, "Password for later sign-ins");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await heading(page, "Overview");
  await page.locator("main a").first().waitFor();
  await press(page, "Skip to the content");
  await page.locator("main:focus").waitFor();
  await keyboard.press("Tab");
  await page.locator("main :focus").waitFor();
  await press(page, "Signed in as walker@acme.test");
  await press(page, "Sign out", "Space");
  await heading(page, "Sign in");
  await walkByTab(page);
  await tabTo(page, "E-mail address *");
  await keyboard.type("walker@acme.test");
  await tabTo(page, "Password *");
  await keyboard.type("not the password");
  await press(page, "Toggle password visibility", "Space");
  assert.equal(await page.getByLabel(/^Password/).getAttribute("type"), "text");
  await press(page, "Sign in");
  await page.getByRole("alert").waitFor();
  await focusIs(page, "Sign in");
  await tabTo(page, "Password *");
  await keyboard.press("Control+A");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await heading(page, "Overview");
});

test("Tab reaches every control of an owner's screens in order, and shows where it is", NEEDS_BROWSER, async (t) => {
  await stage().service.fill("shown by keyboard");
  await using visit = await visitAsOwner();
  const { page } = visit;
  await walkByTab(page);
  t.diagnostic(REPEATS_THIS);
  for (const name of OF_OWNERS.slice(1).filter((_, at) => isDrawn(at))) {
    await openByMenu(page, name);
    await walkByTab(page);
  }
});

test("Tab reaches every control of an operator's screens likewise", NEEDS_BROWSER, async (t) => {
  await using visit = await visitAsOperator();
  const { page } = visit;
  await walkByTab(page);
  t.diagnostic(REPEATS_THIS);
  const names = ["Service", "Usage of all", "Events of all", "Audit log of all"];
  for (const name of names.filter((_, at) => isDrawn(at))) {
    await openByMenu(page, name, name.replace("of all", "of all organizations"));
    await walkByTab(page);
  }
});

test("a developer sends, stops, branches and copies in the playground", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAsOwner();
  const { page, context } = visit;
  const { keyboard } = page;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const turn = (id: number) => page.getByRole("article", { name: `Response ${id}`, exact: true });
  await openByMenu(page, "Playground");
  await tabTo(page, "API key *");
  await keyboard.type(service.key);
  await keyboard.press("Enter");
  await page.getByLabel("Model", { exact: true }).waitFor();
  await tabTo(page, "Model");
  // Choices are chosen by their first letters.
  await keyboard.type(PRICED);
  assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), PRICED);
  await tabTo(page, "Message");
  await keyboard.type("/say before");
  await keyboard.press("Shift+Enter");
  await keyboard.type("/hang");
  await keyboard.press("Control+Enter");
  await turn(1).getByText("before", { exact: true }).waitFor();
  // While a turn runs, nothing is sent.
  await keyboard.type("after it");
  await keyboard.press("Control+Enter");
  await press(page, "Stop", "Space");
  await turn(1).getByText("cancelled").waitFor();
  await focusIs(page, "Message");
  assert.equal(await page.getByLabel("Message").inputValue(), "after it");
  await keyboard.press("Control+Enter");
  await turn(2).getByText("completed").waitFor();
  await press(page, "Branch from here: response 1");
  await turn(2).waitFor({ state: "detached" });
  await focusIs(page, "Message");
  await keyboard.type("a branch");
  await press(page, "Send");
  await turn(3).getByText("completed").waitFor();
  await focusIs(page, "Send");

  await press(page, "Wire of response 1");
  await page.getByRole("heading", { name: "The wire of response 1" }).waitFor();
  await tabTo(page, "Events");
  await page.getByTestId("events").waitFor();
  await keyboard.press("ArrowRight");
  await page.getByTestId("response").waitFor();
  await keyboard.press("End");
  await tabTo(page, "Copy as");
  await keyboard.type("Python");
  await press(page, "Copy");
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await page.getByTestId("code").textContent());
  await walkByTab(page);
});

test("turns are filtered and grouped, and one is opened", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.create(service.key, { model: PRICED, input: "Hello" });
  await service.create(service.key, { model: "simulated/echo", input: "/fail provider_error" });
  await using visit = await visitAsOwner();
  const { page } = visit;
  const { keyboard } = page;
  await openByMenu(page, "Responses");
  await press(page, "Time: any time");
  await tabTo(page, "From");
  // The day, the month and the year, which may have more digits; the hour and the minute, and the half of the day where
  // hours are counted by twelve.
  await keyboard.type("01012026");
  await keyboard.press("ArrowRight");
  await keyboard.type("0101A");
  await page.waitForURL(/[?&]from=2026-01-01T06%3A01Z/);
  await keyboard.press("Escape");
  await focusIs(page, /^Time: since /);
  await press(page, "Add filter");
  await tabTo(page, "Status");
  await keyboard.type("failed");
  await page.waitForURL(/[?&]status=failed/);
  await focusIs(page, "Status");
  await keyboard.press("Escape");
  await focusIs(page, "Add filter");
  await tabTo(page, "Group by");
  await keyboard.type("model");
  await page.getByRole("table", { name: "Responses by model" }).waitFor();
  await walkByTab(page);
  await press(page, /^1, the responses of simulated\/echo$/);
  await page.waitForURL(/[?&]model=simulated/);
  await press(page, "Clear the filters", "Space");
  await page.waitForURL(/turns$/);
  const rows = page.getByRole("table", { name: "Responses" }).locator("tbody tr");
  await rows.filter({ hasText: PRICED }).first().waitFor();
  // The newest turn: its link says how long ago it began, which changes.
  await press(page, / ago$/);
  await heading(page, "Response");
  await page.getByRole("table", { name: "Timeline" }).waitFor();
  await walkByTab(page);
  await openByMenu(page, "Responses");
});

test("usage is shown for other days and groups, and downloaded", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await service.create(service.key, { model: PRICED, input: "Hello" });
  await using visit = await visitAsOwner();
  const { page } = visit;
  const { keyboard } = page;
  await openByMenu(page, "Usage");
  await tabTo(page, "Every");
  await keyboard.type("month");
  await page.waitForURL(/[?&]every=month/);
  await tabTo(page, "And by");
  await keyboard.type("key");
  await page.waitForURL(/[?&]and=key/);
  await press(page, /^Time: /);
  await tabTo(page, "From");
  await keyboard.type("12122025");
  await page.waitForURL(/[?&]from=2025-12-12/);
  await keyboard.press("Escape");
  await page.getByRole("cell", { name: "first key" }).first().waitFor();
  const saved = page.waitForEvent("download");
  await press(page, "Download as CSV");
  assert.match((await saved).suggestedFilename(), /^usage-2025-12-12-/);
});

test("members and tokens are added, and their dialogs give the focus back", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOwner();
  const { page } = visit;
  const { keyboard } = page;
  await openByMenu(page, "Members and tokens");
  await press(page, "Add a member");
  await dialogHasFocus(page);
  await walkByTab(page, "[role=dialog]");
  await escapeTo(page, "Add a member");
  await keyboard.press("Space");
  await dialogHasFocus(page);
  await keyboard.type("typed@acme.test");
  await keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Sign-in link for typed@acme.test" }).waitFor();
  await page.getByRole("button", { name: "Create the link" }).waitFor();
  await dialogHasFocus(page);
  await press(page, "Create the link");
  await page.getByTestId("secret").waitFor();
  await copiedTo(page, "Add a member");
  for (const action of ["Sign-in link", "Sessions", "Role", "Remove"]) {
    await pressAction(page, "typed@acme.test", `${action}: typed@acme.test`);
    await escapeTo(page, "Actions of typed@acme.test");
  }
  await press(page, "Create a token");
  await dialogHasFocus(page);
  await keyboard.type("typed token");
  await keyboard.press("Enter");
  await page.getByTestId("secret").waitFor();
  await copiedTo(page, "Create a token");
});

test("the audit log is filtered", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOwner();
  const { page } = visit;
  const { keyboard } = page;
  await openByMenu(page, "Audit log");
  await press(page, "Add filter");
  await tabTo(page, "Action");
  await keyboard.type("key created");
  await page.waitForURL(/[?&]action=key\.create/);
  await focusIs(page, "Action");
  await tabTo(page, "On");
  await keyboard.type("first key");
  await keyboard.press("Enter");
  await page.waitForURL(/[?&]target=key_/);
  await page.getByRole("table", { name: "Audit log" }).getByRole("cell", { name: "first key", exact: true }).waitFor();
  await keyboard.press("Escape");
  await focusIs(page, "Add filter");
  await walkByTab(page);
  await press(page, "Clear the filters");
  await page.waitForURL(/audit$/);
});

test("an operator checks the providers and the books, and changes the mind about erasing", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOperator();
  const { page } = visit;
  const { keyboard } = page;
  await openByMenu(page, "Service");
  await tabTo(page, "Health");
  await keyboard.press("ArrowRight");
  await focusIs(page, "Providers");
  await press(page, "Check the providers", "Space");
  await page.getByRole("table", { name: "Check of the providers" }).waitFor();
  assert.equal(await focusedName(page), "Check the providers");
  await tabTo(page, "Providers");
  await keyboard.press("End");
  await keyboard.press("ArrowLeft");
  await focusIs(page, "Integrity");
  await press(page, "Check the books");
  await page.getByText("the books agree").waitFor();
  await press(page, "Erase now");
  await escapeTo(page, "Erase now");
  await walkByTab(page);
});
