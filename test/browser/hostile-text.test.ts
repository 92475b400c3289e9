// Script in every name, label and text that somebody can set: each screen shows it as text, and nothing runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { PRICED, pricedEcho } from "./app-service.ts";
import { heading, NEEDS_BROWSER, open, openTab, shareStage, visitAsOperator } from "./stage.ts";
import { openVisit } from "./visit.ts";

/** Runs as HTML, as an attribute and as a template. Without spaces, for addresses and ids of models. */
const SCRIPT = `<img/src=x/onerror=window.hacked=1>'"><script>window.hacked=1</script>{{window.hacked=1}}`;
const MODEL = `hostile/${SCRIPT}`;

/** Of an organization; the playground is below. */
const SCREENS = [
  "overview",
  "keys",
  "usage?by=model",
  "usage?by=key",
  "usage?by=member",
  "turns",
  "budgets",
  "members",
  "policy",
  "audit",
  "errors",
  "events",
];
const OF_OPERATORS = [
  "/organizations",
  "/service?tab=access",
  "/service/usage?by=organization",
  "/service/audit",
  "/service/events",
  "/account",
  "/models",
];

const stage = shareStage({ models: [pricedEcho(PRICED), pricedEcho(MODEL)] });

/** Checks that the screen shows the script as text, and has made no element of it. */
async function isText(page: Page, where: string, part: "main" | "dialog" = "main"): Promise<void> {
  // In the screen's own part: the menu shows the organization's name everywhere. Choices of a select box count.
  await page.getByRole(part).getByText("onerror=window.hacked").first().waitFor({ state: "attached" });
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  const made = "[window.hacked, document.querySelectorAll('img, body script, [onerror]').length]";
  assert.deepEqual(await page.evaluate(made), [undefined, 0], where);
}

/** Puts the script wherever the interfaces take a text. */
async function fill(): Promise<{ key: string; responseId: string; requestId: string }> {
  const { service } = stage();
  const { ask, organizationId, origin } = service;
  const of = `/organizations/${organizationId}`;
  await ask("POST", of, { name: SCRIPT });
  const email = `${SCRIPT}@acme.test`;
  const member = await ask("POST", `${of}/members`, { email, role: "owner" });
  const { secret: key } = await ask("POST", `${of}/keys`, { name: SCRIPT, member: member.id });
  await ask("POST", `${of}/tokens`, { name: SCRIPT, role: "admin" });
  await ask("POST", "/tokens", { name: SCRIPT });
  await ask("POST", `${of}/budgets`, { scope: "member", id: member.id, limit: 1000 });
  await ask("POST", `${of}/policy`, { deny_models: [`gone/${SCRIPT}`] });
  const secret = new URL(await service.operatorLink(SCRIPT)).hash.slice(1);
  const signedIn = await fetch(`${origin}/manage/api/sign-in-links/redeem`, {
    method: "POST",
    headers: { "user-agent": SCRIPT },
    body: JSON.stringify({ secret }),
  });
  assert.equal(signedIn.status, 200);
  const { id } = await service.create(key, {
    model: MODEL,
    input: SCRIPT,
    user: SCRIPT,
    prompt_cache_key: SCRIPT,
    metadata: { [SCRIPT.slice(0, 64)]: SCRIPT },
  });
  const failed = await service.create(key, { model: `gone/${SCRIPT}`, input: SCRIPT });
  assert.notEqual(failed["error"] ?? null, null);
  // Rejections are kept in batches.
  const kept = async () => (await ask("GET", `${of}/rejections`)).data as readonly { request_id: string }[];
  await until("the rejection", async () => (await kept()).length > 0);
  const [rejected] = await kept();
  return { key, responseId: id, requestId: rejected?.request_id ?? "" };
}

test(
  "a script in every name, label and text is shown as text on every screen, and never run",
  NEEDS_BROWSER,
  async () => {
    const { service, browser } = stage();
    const { key, responseId, requestId } = await fill();
    const of = `/organizations/${service.organizationId}`;
    // What only a provider could say.
    const said = { provider_request_id: SCRIPT, warnings: [{ code: SCRIPT, param: SCRIPT }] };
    // Texts that are ours today.
    const explained = { message: SCRIPT, rule: SCRIPT, param: SCRIPT, lifted_by: [SCRIPT] };
    {
      await using visit = await visitAsOperator(stage(), SCRIPT);
      const { page } = visit;
      await page.route(`**/manage/api/**/turns/${responseId}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...said } });
      });
      await page.route(`**/manage/api/**/rejections/${requestId}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...explained } });
      });
      const script = encodeURIComponent(SCRIPT);
      const log = [`turns?model=${script}&key=${script}`, `turns/${responseId}`, `errors?request=${requestId}`];
      const ofOrganization = [...SCREENS, ...log].map((path) => `${of}/${path}`);
      for (const path of [...ofOrganization, ...OF_OPERATORS]) {
        await page.goto(service.origin + path);
        await isText(page, path);
      }
      for (const [path, name] of [
        [`${of}/keys`, "Budget"],
        [`${of}/keys`, "Rotate"],
        [`${of}/keys`, "Revoke"],
        [`${of}/members`, "Sign-in link:"],
        [`${of}/members`, "Role:"],
        [`${of}/members`, "Remove:"],
        [`${of}/members`, "Revoke the token"],
        ["/organizations", "Rename"],
        ["/organizations", "Suspend"],
        ["/service?tab=access", "End the session of"],
      ] as const) {
        if (!page.url().endsWith(path)) await page.goto(service.origin + path);
        const action = page.getByRole("button", { name: `${name} ${SCRIPT}` });
        const menu = page.getByRole("button", { name: `Actions of ${SCRIPT}` }).first();
        await menu.or(action).first().waitFor();
        if ((await action.count()) === 0) await menu.click();
        await action
          .or(page.getByRole("menuitem", { name: `${name} ${SCRIPT}` }))
          .first()
          .click();
        await isText(page, name, "dialog");
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
    await using outside = await openVisit(browser, service.origin);
    const { page } = outside;
    await page.goto(`${service.origin}/key`);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Use the key" }).click();
    await isText(page, "the page of a key");
  },
);

test("what a model says and a request asks is text in the playground", NEEDS_BROWSER, async () => {
  await using visit = await visitAsOperator(stage());
  const { page } = visit;
  await open(page, "Playground");
  await page.getByLabel("API key").fill(stage().service.key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption(MODEL);
  const send = async (id: number, text: string) => {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const turn = page.getByRole("article", { name: `Response ${id}`, exact: true });
    await turn.getByText(/^(completed|failed|error)$/).waitFor();
  };
  await send(1, `/say ${SCRIPT}\n/reason ${SCRIPT}\n/cite javascript:window.hacked=1 ${SCRIPT}`);
  await send(2, `/refuse ${SCRIPT}`);
  await send(3, `/fail ${SCRIPT}`);
  await openTab(page, "Settings");
  await page.getByLabel("tools").fill(JSON.stringify([{ type: "function", name: SCRIPT }]));
  await send(4, SCRIPT);
  await openTab(page, "Wire");
  await page.getByRole("tab", { name: "Request" }).click();
  await isText(page, "the wire");
  await openTab(page, "Conversation");
  // The first message has begun a conversation, which is left.
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByLabel("Or open one by its id").fill(SCRIPT);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("alert").getByText("resource_not_found").waitFor();
  await isText(page, "the playground");
  await heading(page, "Playground");
});
