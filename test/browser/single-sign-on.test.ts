// Single sign-on in the browser, with a real OpenID provider on another site.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { FIRST_ORGANIZATION } from "../../src/boot/greeting.ts";
import { singleSignOnAt, type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider.ts";
import { type AppService, startAppService } from "./app-service.ts";
import { closeBrowser, launchBrowser } from "./browser.ts";
import { heading, NEEDS_BROWSER, open, signOut } from "./stage.ts";
import { openVisit } from "./visit.ts";

const LOGIN = "Sign in with Acme login";

let provider: OpenIdProvider;
let service: AppService;
let browser: Browser;
before(async () => {
  if (NEEDS_BROWSER.skip !== false) return;
  provider = await startOpenIdProvider();
  const rules = [
    { role: "operator", group: "platform" },
    { role: "admin", group: "acme", organization: FIRST_ORGANIZATION },
  ] as const;
  const singleSignOn = singleSignOnAt(provider, { rules });
  [service, browser] = await Promise.all([startAppService({ singleSignOn }), launchBrowser()]);
  provider.register(service.origin);
});
after(async () => {
  if (browser !== undefined) await closeBrowser(browser);
  await service?.close();
  await provider?.close();
});

function person(login: string, groups: readonly string[]): string {
  provider.people.set(login, { email: `${login}@acme.test`, email_verified: true, groups });
  return login;
}

const visit = () => openVisit(browser, service.origin, [provider.issuer]);

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await heading(page, "Sign in at the provider");
  await page.getByLabel("Login").fill(login);
  await page.getByRole("button", { name: "Continue" }).click();
}

test(
  "a person signs in at the provider and arrives at the screen that was asked for; without the group there is no way in",
  NEEDS_BROWSER,
  async () => {
    const login = person("ada", ["acme"]);
    await using opened = await visit();
    const { page, context } = opened;
    await page.goto(`${service.origin}/organizations/${service.organizationId}/keys`);
    await heading(page, "Sign in");
    await page.getByRole("button", { name: LOGIN }).waitFor();
    await opened.look("sign-in with single sign-on");
    await page.getByRole("button", { name: LOGIN }).click();
    await signInAtProvider(page, login);
    await heading(page, "Keys");
    // The code has left the address, and only the session is kept, for requests of our own pages.
    assert.equal(new URL(page.url()).search, "");
    const cookies = await context.cookies(service.origin);
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [["turngate_session", true, "Strict"]],
    );
    await open(page, "Account");
    await page.getByText("Signed in as ada@acme.test, admin").waitFor();

    // The session at the provider goes on: it asks nothing the second time.
    await signOut(page);
    await page.getByRole("button", { name: LOGIN }).click();
    await heading(page, "Overview");

    person(login, []);
    await signOut(page);
    await page.getByRole("button", { name: LOGIN }).click();
    await heading(page, "Not signed in");
    await page.getByRole("alert").getByText("Your groups at Acme login give you no access here.").waitFor();
    await opened.look("a sign-in that was rejected");
    await page.getByRole("link", { name: "Back to the sign-in page" }).click();
    await heading(page, "Sign in");
  },
);

test("an operator signs in by the group; a person who cancels is told so", NEEDS_BROWSER, async () => {
  await using opened = await visit();
  const { page } = opened;
  await page.goto(service.origin);
  await page.getByRole("button", { name: LOGIN }).click();
  await heading(page, "Sign in at the provider");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alert").getByText("did not agree to sign in").waitFor();
  await page.getByRole("link", { name: "Back to the sign-in page" }).click();
  await page.getByRole("button", { name: LOGIN }).click();
  await signInAtProvider(page, person("root", ["platform"]));
  await heading(page, "Organizations");
});

test(
  "a callback that nobody began, or somebody else, signs nobody in, and a link works beside the provider",
  NEEDS_BROWSER,
  async () => {
    await using opened = await visit();
    const { page } = opened;
    await page.goto(`${service.origin}/sign-in/callback?code=1e5&state=forged`);
    await page.getByRole("alert").getByText("was begun in another window").waitFor();
    // Somebody else's code does not end what this person has begun.
    await page.goto(service.origin);
    await page.getByRole("button", { name: LOGIN }).click();
    await heading(page, "Sign in at the provider");
    await page.goto(`${service.origin}/sign-in/callback?code=1e5&state=${"f".repeat(43)}`);
    await page.getByRole("alert").waitFor();
    assert.deepEqual(
      (await opened.context.cookies(service.origin))
        .map(({ name }) => name)
        .filter((name) => name === "turngate_session"),
      [],
    );
    await page.goto(service.firstLink);
    await page.getByRole("button", { name: "Open the app" }).click();
    await heading(page, "Overview");
  },
);
