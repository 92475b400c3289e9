// Changes that only owners may make, and those that no one may. @spec authentication
import assert from "node:assert/strict";
import { test } from "node:test";
import { managedForFile } from "./managed-service.ts";

const managed = await managedForFile();

test("an admin can neither add, change nor remove owners, nor get their sign-in links or tokens", async () => {
  const organizationId = await managed.newOrganization();
  const members = `/organizations/${organizationId}/members`;
  const owner = await managed.newMember(organizationId, "owner");
  await managed.newMember(organizationId, "owner");
  const plain = await managed.newMember(organizationId, "member");
  await managed.newProgram(organizationId, "owner");
  const [ownersToken] = await managed.store.listTokens({ organizationId });
  const requests: readonly (readonly [string, string, object?])[] = [
    ["POST", members, { email: "new@test.test", role: "owner" }],
    ["POST", `${members}/${plain.id}`, { role: "owner" }],
    ["POST", `${members}/${owner.id}`, { role: "member" }],
    ["DELETE", `${members}/${owner.id}`],
    ["POST", `${members}/${owner.id}/sign-in-link`],
    ["POST", `/organizations/${organizationId}/tokens`, { name: "a token", role: "owner" }],
    ["POST", `/organizations/${organizationId}/tokens/${ownersToken?.id}/revoke`],
  ];
  const admin = await managed.newPerson(organizationId, "admin");
  const membersBefore = await managed.store.listMembers({ organizationId });
  for (const [method, path, body] of requests) {
    const { status, json } = await managed.ask(admin, method, path, body === undefined ? {} : { body });
    assert.deepEqual([status, json.error.code], [403, "access_denied"], `${method} ${path}`);
  }
  assert.deepEqual(await managed.store.listMembers({ organizationId }), membersBefore);
  const chief = await managed.newProgram(organizationId, "owner");
  for (const [method, path, body] of requests) {
    const { status, text } = await managed.ask(chief, method, path, body === undefined ? {} : { body });
    // The operation that removes an owner who became a member before still finds one.
    assert.equal(status, 200, `${method} ${path}: ${text}`);
    if (method === "DELETE")
      await managed.store.addMember({ by: { kind: "service", id: "tests" }, ...owner, createdAt: 1 });
  }
});

test("a sign-in link from before somebody became an owner lets nobody in as one", async () => {
  const organizationId = await managed.newOrganization();
  const admin = await managed.newPerson(organizationId, "admin");
  const member = await managed.newMember(organizationId, "member");
  const path = `/organizations/${organizationId}/members/${member.id}`;
  const { secret } = (await managed.ask(admin, "POST", `${path}/sign-in-link`)).json;
  assert.equal((await managed.ask(managed.operator, "POST", path, { body: { role: "owner" } })).status, 200);
  const body = { secret, password: "four words of one" };
  const redeemed = await managed.ask(null, "POST", "/sign-in-links/redeem", { body });
  assert.equal(redeemed.status, 400);
  assert.match(redeemed.json.error.message, /link/);
});

test("not even the operator can remove the last owner", async () => {
  const organizationId = await managed.newOrganization();
  const owner = await managed.newMember(organizationId, "owner");
  const path = `/organizations/${organizationId}/members/${owner.id}`;
  const demoted = await managed.ask(managed.operator, "POST", path, { body: { role: "admin" } });
  assert.deepEqual([demoted.status, demoted.json.error.code], [400, "invalid_input"]);
  assert.match(demoted.json.error.message, /last owner/);
  assert.equal((await managed.ask(managed.operator, "DELETE", path)).status, 400);
  await managed.newMember(organizationId, "owner");
  assert.equal((await managed.ask(managed.operator, "DELETE", path)).status, 200);
});

test("a member sees only own keys and usage, an owner all", async () => {
  const organizationId = await managed.newOrganization();
  const owner = await managed.newPerson(organizationId, "owner");
  const member = await managed.newMember(organizationId, "member");
  const session = await managed.signedIn(member);
  const path = `/organizations/${organizationId}/keys`;
  await managed.ask(owner, "POST", path, { body: { name: "nobody's" } });
  await managed.ask(owner, "POST", path, { body: { name: "the member's", member: member.email } });
  const names = async (who: typeof owner) =>
    (await managed.ask(who, "GET", path)).json.data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(owner), ["nobody's", "the member's"]);
  assert.deepEqual(await names(session), ["the member's"]);
  assert.deepEqual(await names(await managed.newProgram(organizationId, "member")), []);
  const usage = `/organizations/${organizationId}/usage?by=key&from=2026-01-01&to=2026-12-31`;
  assert.deepEqual((await managed.ask(session, "GET", usage)).json.data, []);
});

test("credits with a transaction id are added once, and an id belongs to one top-up", async () => {
  const organizationId = await managed.newOrganization();
  const add = (body: object) =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/credits`, { body });
  assert.equal((await add({ amount: 12.000001, transaction_id: "invoice-7" })).json.credits, 12.000001);
  assert.equal((await add({ amount: 12.000001, transaction_id: "invoice-7" })).json.credits, 12.000001);
  assert.equal((await add({ amount: 5, transaction_id: "invoice-7" })).status, 400);
  assert.equal((await add({ amount: 1 })).json.credits, 13.000001);
  assert.equal((await add({ amount: 0.0000001 })).json.error.param, "amount");
});

test("an organization created with credits can be used at once, and its audit log has the grant", async () => {
  const make = (body: object) => managed.ask(managed.operator, "POST", "/organizations", { body });
  const plain = await make({ name: "made without" });
  assert.partialDeepStrictEqual(plain.json, { plan: false, payment_method: false, credits: 0 });
  const made = await make({ name: "made with", credits: 12.000001 });
  assert.partialDeepStrictEqual(made.json, { plan: true, payment_method: true, credits: 12.000001 });
  const path = `/organizations/${made.json.id}`;
  const key = (await managed.ask(managed.operator, "POST", `${path}/keys`, { body: { name: "first key" } })).json;
  const reply = await managed.service.create({ model: "test/all", input: "Hi" }, { key: key.secret });
  assert.equal(reply.json.status, "completed", reply.text);
  const log = (await managed.ask(managed.operator, "GET", `${path}/audit`)).json.data;
  assert.deepEqual(
    log.map(({ action }: { action: string }) => action),
    ["key.create", "credits.add", "payment_method.set", "plan.start", "organization.create"],
  );
  assert.equal((await make({ name: "rejected", credits: 0.0000001 })).json.error.param, "credits");
  assert.equal((await make({ name: "rejected", credits: 0 })).status, 400);
});

test("a policy's rules are set one by one; models are named by whole id or bare", async () => {
  const organizationId = await managed.newOrganization();
  const set = (body: object) =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/policy`, { body });
  const first = await set({ allow_models: ["all", "test/group-a"], tool_calls_per_turn: 3 });
  assert.deepEqual(first.json.policy, {
    allow_models: ["test/all", "test/group-a"],
    deny_models: [],
    tool_calls_per_turn: 3,
  });
  const second = await set({ allow_models: null, deny_models: ["test/small"] });
  assert.deepEqual(second.json.policy, { allow_models: null, deny_models: ["test/small"], tool_calls_per_turn: 3 });
  assert.equal((await set({ deny_models: ["gpt"] })).json.error.param, "deny_models");
});
