// Every screen: by axe-core in both colour schemes and at the width of a phone; keys and budgets by keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { copiedTo, dialogHasFocus, escapeTo, press, pressAction, tabTo } from "./keyboard.ts";
import {
  act,
  PASSWORD,
  heading,
  open,
  openTab,
  visitAs,
  visitAsOperator,
  NEEDS_BROWSER,
  shareStage,
  signOut,
} from "./stage.ts";
import { openVisit } from "./visit.ts";
import { OF_OWNERS } from "./screen-names.ts";

/** A name that contains a script. */
const SCRIPT = `<img src=x onerror="window.hacked=1">'"</script>`;

const OF_OPERATORS = [
  "Organizations",
  "Service",
  "Usage of all organizations",
  "Events of all organizations",
  "Audit log of all organizations",
];

const stage = shareStage();

test(
  "every screen of an owner has no finding of axe-core in either scheme and fits a phone; names are never run",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    await service.fill(SCRIPT);
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    for (const [at, name] of OF_OWNERS.entries()) {
      await open(page, name);
      await page.getByText("Loading…").first().waitFor({ state: "detached" });
      await visit.look(name, at);
    }
    await open(page, "Keys");
    await page.getByRole("cell", { name: SCRIPT, exact: true }).waitFor();
    await act(page, SCRIPT, `Revoke ${SCRIPT}`);
    await page.getByRole("dialog", { name: `Revoke the key ${SCRIPT}?` }).waitFor();
    await visit.look("a dialog");
    assert.equal(await page.evaluate("window.hacked"), undefined);
  },
);

test("every screen of an operator likewise, and the pages without a session", NEEDS_BROWSER, async () => {
  const { browser, service } = stage();
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  for (const [at, name] of OF_OPERATORS.entries()) {
    await page
      .getByRole("navigation")
      .getByRole("link", { name: name.replace(" organizations", ""), exact: true })
      .click();
    await heading(page, name);
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    await visit.look(name, at);
  }
  for (const path of ["/nowhere", `/organizations/${service.organizationId}/nowhere`]) {
    await page.goto(service.origin + path);
    await heading(page, "There is no such screen");
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Playground" }).waitFor();
  }
  await using outside = await openVisit(browser, service.origin);
  await outside.page.goto(service.origin);
  await heading(outside.page, "Sign in");
  await outside.look("sign-in");
  await outside.page.goto(`${service.origin}/sign-in#nothing`);
  await heading(outside.page, "Welcome");
  await outside.look("a link's page");
});

test("an operator creates an organization, suspends it, and checks the books", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await page.getByRole("button", { name: "Create an organization" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Acme");
  await page.getByLabel("Credits").fill("50");
  await page.getByRole("button", { name: "Create the organization" }).click();
  await act(page, "Acme", "Suspend Acme");
  await page.getByRole("dialog", { name: "Suspend Acme?" }).getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("row", { name: /^Acme suspended/ }).waitFor();
  await act(page, "Acme", "Resume Acme");
  await page.getByRole("row", { name: /^Acme served/ }).waitFor();
  await page.getByLabel("Only organizations whose requests are rejected").check();
  await page.getByRole("row", { name: /^Acme/ }).waitFor({ state: "detached" });
  await page.getByLabel("Only organizations whose requests are rejected").uncheck();
  await page.getByRole("link", { name: "Acme" }).click();
  await heading(page, "Overview");
  await page.getByText("50.00").waitFor();
  await open(page, "Service");
  await openTab(page, "Integrity");
  await page.getByRole("button", { name: "Check the books" }).click();
  await page.getByText("the books agree").waitFor();
  await page.getByRole("button", { name: "Verify the audit log" }).click();
  await page.getByText("intact").waitFor();
});

test("by keyboard alone: a key is created, copied and revoked, and a budget is set", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page, context } = visit;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { keyboard } = page;
  await page.evaluate("document.activeElement.blur()");
  await press(page, "Keys");
  await heading(page, "Keys");
  await press(page, "Create a key");
  await escapeTo(page, "Create a key");
  await keyboard.press("Enter");
  await dialogHasFocus(page);
  await keyboard.type("made by keyboard");
  await keyboard.press("Enter");
  const secret = await page.getByTestId("secret").textContent();
  await dialogHasFocus(page);
  await press(page, "Copy the key");
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
  // Neither Escape nor a click beside it loses the secret.
  await keyboard.press("Escape");
  await page.getByRole("alert").getByText("Have you copied the key?").waitFor();
  await page.mouse.click(5, 5);
  assert.equal(await page.getByTestId("secret").textContent(), secret);
  await visit.look("a secret that is not closed");
  await copiedTo(page, "Create a key");
  const row = page.getByRole("cell", { name: "made by keyboard", exact: true });
  await row.waitFor();
  await pressAction(page, "made by keyboard", "Revoke made by keyboard");
  await dialogHasFocus(page);
  await press(page, "Revoke the key");
  await row.waitFor({ state: "detached" });

  await page.evaluate("document.activeElement.blur()");
  await press(page, "Budgets and credits");
  await heading(page, "Budgets and credits");
  await press(page, "Set a budget");
  await dialogHasFocus(page);
  await tabTo(page, "Limits what is spent by");
  // Choices are chosen by their first letters.
  await keyboard.type("a day");
  await tabTo(page, "Limit, credits *");
  await keyboard.type("250");
  await keyboard.press("Enter");
  await page.getByRole("row", { name: /^a day of the organization .*250\.00/ }).waitFor();
});

test("a session is invalid after sign-out", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "leaver@acme.test");
  const { page, context } = visit;
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
  const ask = () =>
    fetch(`${service.origin}/manage/api/session`, { headers: { cookie: `${cookie?.name}=${cookie?.value}` } });
  assert.equal((await ask()).status, 200);
  // A sign-out that fails says so, and the person can try again.
  await page.route("**/manage/api/session", (route) => route.abort());
  await signOut(page);
  await page.getByRole("alert").getByText("unreachable").waitFor();
  assert.equal((await ask()).status, 200);
  await page.unroute("**/manage/api/session");
  // The menu is still open, with the error.
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await heading(page, "Sign in");
  assert.equal((await ask()).status, 401);
});

test(
  "a screen that cannot be read says why, with the request id, and works again after a retry",
  NEEDS_BROWSER,
  async () => {
    await using visit = await visitAs(stage(), "owner@localhost");
    const { page } = visit;
    const body = {
      error: { message: "Too many requests.", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" },
    };
    // A screen that does not refresh by itself.
    const audit = "**/manage/api/organizations/*/audit*";
    await page.route(audit, (route) =>
      route.fulfill({ status: 429, headers: { "x-request-id": "req_of_the_test" }, json: body }),
    );
    await open(page, "Audit log");
    const notice = page.getByRole("alert");
    await notice.getByText("Too many requests.").waitFor();
    await notice.getByText("req_of_the_test").waitFor();
    await visit.look("an error");
    await page.unroute(audit);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "Audit log" }).waitFor();
  },
);

test("a screen that cannot be loaded fails inside the frame", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  // Not a visit, which fails for what the console says: the browser says there that a script is missing.
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(await service.linkOf("owner@localhost"));
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Overview");
  await page.route("**/assets/models-*.js", (route) => route.abort());
  await page.getByRole("navigation").getByRole("link", { name: "Models", exact: true }).click();
  await heading(page, "This screen failed");
  await open(page, "Keys");
  await context.close();
});

test("Ctrl+K finds a screen, a key and the id of a response, by keyboard alone", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { id } = await service.create(service.key, { model: "simulated/echo", input: "Hello" });
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const { keyboard } = page;
  const search = async (text: string) => {
    await keyboard.press("Control+k");
    await dialogHasFocus(page);
    await keyboard.type(text);
  };
  await search("policy");
  await visit.look("the search");
  await keyboard.press("Enter");
  await heading(page, "Policy and limits");
  await search("first key");
  await page.getByRole("option", { name: /^first key/ }).waitFor();
  await keyboard.press("Enter");
  await page.waitForURL(/turns\?key=key_/);
  await search(id);
  await keyboard.press("Enter");
  await heading(page, "Response");
  await press(page, "Search");
  await escapeTo(page, "Search");
});

test("a long list is shown in steps", NEEDS_BROWSER, async () => {
  await using visit = await visitAs(stage(), "owner@localhost");
  const { page } = visit;
  const data = Array.from({ length: 5000 }, (_, at) => ({
    id: `mem_${at}`,
    email: `p${at}@acme.test`,
    role: "member",
  }));
  await page.route("**/manage/api/organizations/*/members", (route) => route.fulfill({ json: { data } }));
  await open(page, "Members and tokens");
  const rows = page.getByRole("table", { name: "Members" }).locator("tbody tr");
  await rows.filter({ hasText: "p199@acme.test" }).waitFor();
  assert.equal(await rows.count(), 200);
  await page.getByRole("button", { name: "Show more: 200 of 5,000 are shown" }).click();
  await rows.filter({ hasText: "p399@acme.test" }).waitFor();
  assert.equal(await rows.count(), 400);
});

test("a session that ends elsewhere leads to the sign-in page, and from there back", NEEDS_BROWSER, async () => {
  const { service, browser } = stage();
  await using visit = await openVisit(browser, service.origin);
  const { page } = visit;
  await page.goto(await service.linkOf("returner@acme.test"));
  await page.getByLabel("Password for later sign-ins").fill(PASSWORD);
  await page.getByRole("button", { name: "Open the app" }).click();
  await heading(page, "Overview");
  await open(page, "Keys");
  const ended = await page.request.delete(`${service.origin}/manage/api/session`, {
    headers: { "sec-fetch-site": "same-origin" },
  });
  assert.equal(ended.status(), 200, await ended.text());
  // Somebody comes back to the tab, and the screen is read again.
  await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
  await heading(page, "Sign in");
  await page.getByLabel("E-mail address").fill("returner@acme.test");
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await heading(page, "Keys");
});
