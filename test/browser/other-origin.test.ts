// Pages of other origins in the browser of a person who is signed in: they can forge no change, read nothing, and show
// the app in no frame.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type DefinedOperation, OPERATIONS } from "../../src/manage/operations.ts";
import { type AttackingSite, startAttackingSite } from "./attacking-site.ts";
import { NEEDS_BROWSER, shareStage, visitAs, visitAsOperator } from "./stage.ts";

const stage = shareStage();
let site: AttackingSite;
before(async () => {
  site = await startAttackingSite();
});
after(() => site.close());

/** Opens a page of the attacking site. */
async function attack(page: Page, origin: string, html = ""): Promise<void> {
  await page.goto(`${origin}/?${new URLSearchParams({ html }).toString()}`);
}

/** Everything that a change could name, and the bodies of the changes that need one. */
async function changesOf({ service }: ReturnType<typeof stage>) {
  const { ask, organizationId } = service;
  await service.fill("victim");
  const of = `/organizations/${organizationId}`;
  const [[key], [token], [member], [session]] = await Promise.all(
    [`${of}/keys`, `${of}/tokens`, `${of}/members`, "/operators/sessions"].map(
      async (path) => (await ask("GET", path)).data,
    ),
  );
  const link = new URL(await service.operatorLink("Mallory")).hash.slice(1);
  const bodies: Partial<Record<DefinedOperation, object>> = {
    signIn: { email: "mallory@acme.test", password: "four words of hers" },
    redeemSignInLink: { secret: link },
    finishSingleSignOn: { query: "code=1&state=2" },
    changePassword: { new_password: "four words of hers" },
    createOrganization: { name: "forged" },
    renameOrganization: { name: "forged" },
    addMember: { email: "mallory@acme.test", role: "owner" },
    setMemberRole: { role: "member" },
    createKey: { name: "forged" },
    updateKey: { unanswered_calls: "drop" },
    addCredits: { amount: 1000 },
    setBudget: { scope: "organization", limit: 1_000_000 },
    raiseBudget: { scope: "organization", amount: 5, until: Math.floor(Date.now() / 1000) + 3600 },
    clearBudget: { scope: "organization" },
    requestIncrease: { scope: "organization", amount: 5 },
    grantIncrease: { amount: 5 },
    setPolicy: { deny_models: [] },
    setLimits: { open_streams: 1 },
    createToken: { name: "forged", role: "owner" },
    createOperatorLink: { name: "Mallory" },
    createOperatorToken: { name: "forged" },
  };
  const ids = {
    organization_id: organizationId,
    key_id: key.id,
    token_id: token.id,
    member_id: member.id,
    increase_id: "inc_1",
  };
  return OPERATIONS.filter(({ method }) => method !== "GET").map(({ method, path, scope, name: operation }) => ({
    method,
    url: `${service.origin}/manage/api${path.replaceAll(/:(\w+)/g, (_, name: string) =>
      name === "session_id" ? session.id : ids[name as keyof typeof ids],
    )}`,
    scope,
    body: JSON.stringify(bodies[operation] ?? {}),
  }));
}

test("a page of another origin changes nothing with the cookie of an operator", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAsOperator(stage());
  const changes = await changesOf(stage());
  const { context } = visit;
  const audited = async () => (await service.ask("GET", "/audit")).data[0].id;
  const [earlier, cookies] = [await audited(), await context.cookies()];
  const page = await context.newPage();
  const statuses = new Map<string, Set<number>>();
  page.on("response", (response) => {
    const name = `${response.request().method()} ${response.url()}`;
    statuses.set(name, (statuses.get(name) ?? new Set()).add(response.status()));
  });
  for (const [origin, rejected] of [
    [site.sameSite, 403],
    [site.crossSite, 401],
  ] as const) {
    statuses.clear();
    await attack(page, origin);
    await page.evaluate(`(async () => {
      await Promise.all(${JSON.stringify(changes)}.map(async ({ method, url, body }) => {
        // What needs no leave of the app's origin, in the three codings of a form, and what does.
        const simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"].map((type) => ({
          method: "POST", mode: "no-cors", headers: { "content-type": type }, body,
        }));
        const asking = { method, mode: "cors", headers: { "content-type": "application/json", "x-csrf-token": "x" }, body };
        for (const init of [...(method === "POST" ? simple : []), asking]) {
          await fetch(url, { ...init, credentials: "include" }).catch(() => {});
        }
      }));
    })()`);
    for (const { method, url, scope } of changes) {
      // The holder of a key has no cookie.
      const status = scope === "public" ? 403 : scope === "key" ? 401 : rejected;
      // A DELETE never arrives: the browser asks first.
      const expected = method === "POST" ? [status] : [];
      assert.deepEqual([...(statuses.get(`${method} ${url}`) ?? [])], expected, `${method} ${url} from ${origin}`);
    }
  }
  // A form needs no script, and shows the reply.
  const { url } = changes.find(({ url: one }) => one.endsWith("/organizations")) ?? { url: "" };
  const form = `<form method="post" enctype="text/plain" action="${url}"><input name='{"name":"forged","x":"' value='"}'><button>Win</button></form>`;
  await attack(page, site.sameSite, form);
  await page.getByRole("button").click();
  await page.getByText("access_denied").waitFor();
  assert.equal(await audited(), earlier);
  assert.deepEqual(await context.cookies(), cookies);
  // The same request from a page of the app is a change.
  const own = `fetch(${JSON.stringify(url)}, { method: "POST", body: '{"name":"meant"}' }).then(({ status }) => status)`;
  assert.equal(await visit.page.evaluate(own), 200);
  assert.notEqual(await audited(), earlier);
});

test("a page of another origin reads nothing and shows the app in no frame", NEEDS_BROWSER, async () => {
  const { service } = stage();
  await using visit = await visitAs(stage(), "owner@localhost");
  const page = await visit.context.newPage();
  const paths = [
    "/manage/api/session",
    `/manage/api/organizations/${service.organizationId}/keys`,
    "/metrics",
    "/v1/models",
  ];
  const tags = ["/", "/docs"].map(
    (path) => `<iframe src="${service.origin}${path}"></iframe><object data="${service.origin}${path}"></object>`,
  );
  for (const origin of [site.sameSite, site.crossSite]) {
    // Its own frame is the control.
    await attack(page, origin, `${tags.join("")}<iframe src="/?html=a+frame"></iframe>`);
    await page.frameLocator("iframe[src^='/']").getByText("a frame").waitFor();
    const read = await page.evaluate(`Promise.all(${JSON.stringify(paths)}.map((path) =>
      fetch(${JSON.stringify(service.origin)} + path, { credentials: "include" }).then(() => path, () => "rejected")))`);
    assert.deepEqual(
      read,
      paths.map(() => "rejected"),
    );
    const framed = page.frames().map((frame) => frame.url());
    assert.equal(framed.filter((url) => url.startsWith(origin)).length, 2, String(framed));
    assert.ok(!framed.some((url) => url.startsWith(service.origin)), String(framed));
  }
});
