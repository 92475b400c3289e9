// Sessions as people see them: an operator's link, the list, ending one and all, the first password.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  act,
  heading,
  open,
  openTab,
  PASSWORD,
  visitAs,
  visitAsOperator,
  NEEDS_BROWSER,
  shareStage,
  signOut,
} from "./stage.ts";
import { openVisit } from "./visit.ts";

const stage = shareStage();

test("an operator signs in by a link without a password, and ends the session of another", NEEDS_BROWSER, async () => {
  const { browser, service } = stage();
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  assert.equal(new URL(page.url()).hash, "", "the secret has left the address");
  await open(page, "Service");
  await openTab(page, "Operators and tokens");
  await page.getByRole("button", { name: "Create an operator's link" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Grace");
  await page.getByRole("button", { name: "Create the link" }).click();
  const link = (await page.getByTestId("secret").textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied it" }).click();
  await using other = await openVisit(browser, service.origin);
  await other.page.goto(link);
  await heading(other.page, "Welcome");
  assert.equal(await other.page.getByLabel(/^Password/).count(), 0);
  await other.look("an operator's link");
  await other.page.getByRole("button", { name: "Open the app" }).click();
  await heading(other.page, "Organizations");
  await page.reload();
  await page.getByRole("button", { name: /^End the session of Grace/ }).click();
  await page.getByRole("button", { name: "End the session", exact: true }).click();
  await page.getByRole("button", { name: /^End the session of Grace/ }).waitFor({ state: "detached" });
  await other.page.reload();
  await heading(other.page, "Sign in");
  await signOut(page);
  await heading(page, "Sign in");
});

test("a person sets the first password, signs in with it twice, and ends all sessions", NEEDS_BROWSER, async () => {
  const { browser, service } = stage();
  const email = "first@acme.test";
  await using visit = await visitAs(stage(), email);
  const { page } = visit;
  await open(page, "Account");
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set the password" }).click();
  await heading(page, "Sign in");
  await using other = await openVisit(browser, service.origin);
  await other.page.goto(service.origin);
  for (const { page: each } of [visit, other]) {
    await each.getByLabel("E-mail address").fill(email);
    await each.getByLabel(/^Password/).fill(PASSWORD);
    await each.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading(each, "Overview");
  }
  await open(page, "Account");
  await page.getByLabel("Current password").waitFor();
  await page.getByRole("button", { name: /^End the session from/ }).waitFor();
  await visit.look("an account with two sessions");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("button", { name: "End all sessions" }).click();
  await heading(page, "Sign in");
  await other.page.reload();
  await heading(other.page, "Sign in");
});

test("an owner ends the session of a member", NEEDS_BROWSER, async () => {
  const { service } = stage();
  const { ask, organizationId } = service;
  await ask("POST", `/organizations/${organizationId}/members`, { email: "ended@acme.test", role: "member" });
  await using member = await visitAs(stage(), "ended@acme.test");
  await using owner = await visitAs(stage(), "owner@localhost");
  const { page } = owner;
  await open(page, "Members and tokens");
  await act(page, "ended@acme.test", "Sessions: ended@acme.test");
  const dialog = page.getByRole("dialog", { name: "Sessions of ended@acme.test" });
  await dialog.getByRole("table", { name: "Sessions of ended@acme.test" }).waitFor();
  await owner.look("the sessions of a member");
  await dialog.getByRole("button", { name: /^End the session from/ }).click();
  await page.getByRole("button", { name: "End the session", exact: true }).click();
  await dialog.getByText("ended@acme.test is not signed in.").waitFor();
  await member.page.reload();
  await heading(member.page, "Sign in");
});

test(
  "a tab that stays open loses what its person loses: the role, the membership, the session",
  NEEDS_BROWSER,
  async () => {
    const { service } = stage();
    const { ask, organizationId } = service;
    const of = `/organizations/${organizationId}`;
    const { id } = await ask("POST", `${of}/members`, { email: "demoted@acme.test", role: "admin" });
    await using visit = await visitAs(stage(), "demoted@acme.test");
    const { page, context } = visit;
    const [cookie] = await context.cookies();
    await open(page, "Keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("too late");
    await ask("POST", `${of}/members/${id}`, { role: "member" });
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByRole("alert").getByText("access_denied").waitFor();
    await ask("DELETE", `${of}/members/${id}`);
    // The tab may notice by itself before it is asked.
    const button = page.getByRole("button", { name: "Create the key" });
    await button.click({ timeout: 5000 }).catch(() => {});
    await heading(page, "Sign in");
    // Nothing that was read is shown again, and the cookie opens nothing.
    await page.goBack();
    await heading(page, "Sign in");
    assert.equal(await page.getByText("first key").count(), 0);
    for (const path of ["/session", of, `${of}/keys`, `${of}/usage`]) {
      const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
      const { status, headers: sent } = await fetch(`${service.origin}/manage/api${path}`, { headers });
      assert.deepEqual([status, sent.get("cache-control")], [401, "no-store"], path);
    }
    const { data } = await ask("GET", `${of}/keys`);
    assert.ok(!data.some(({ name }: { name: string }) => name === "too late"));
  },
);

test("a link leads to no other site, whatever its address says of the next screen", NEEDS_BROWSER, async () => {
  const { browser, service } = stage();
  for (const next of [
    "https://evil.test/",
    "//evil.test/",
    "/..//evil.test/",
    "/%2F%2Fevil.test/",
    "javascript:alert(1)",
    "/account",
  ]) {
    await using visit = await openVisit(browser, service.origin);
    const { page } = visit;
    const link = new URL(await service.operatorLink("Followed"));
    link.searchParams.set("next", next);
    await page.goto(link.href);
    await page.getByRole("button", { name: "Open the app" }).click();
    await heading(
      page,
      next === "/account" ? "Account" : next.startsWith("/%2F") ? "There is no such screen" : "Organizations",
    );
    assert.equal(new URL(page.url()).origin, service.origin);
  }
});
