// The values that the management interface shows. access.test.ts tests their shapes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { billingDayOf, formatDay } from "../../src/core/money/billing-day.ts";
import { request } from "../support/http-client.ts";
import { PRICED_MODELS } from "../support/money.ts";
import { managedForFile } from "./managed-service.ts";

const OF_ALL = { permissions: "all", usd_per_credit: 0.01, base_url: "http://127.0.0.1:0/v1" };
const managed = await managedForFile({ models: PRICED_MODELS });
const organizationId = await managed.newOrganization();
const path = `/organizations/${organizationId}`;
await managed.newMember(organizationId, "owner");
const member = await managed.newMember(organizationId, "member");
for (const [route, body] of [
  ["payment-method", undefined],
  ["plan", undefined],
  ["credits", { amount: 200 }],
] as const) {
  await operator("POST", `${path}/${route}`, body);
}
const key = await operator("POST", `${path}/keys`, { name: "web app", member: member.email });

const now = () => Math.floor(managed.service.clock.nowMs() / 1000);

async function operator(method: string, route: string, body?: object) {
  const { status, json, text } = await managed.ask(managed.operator, method, route, body === undefined ? {} : { body });
  assert.equal(status, 200, text);
  return json;
}

test("an organization; `suspended` only while it is", async () => {
  const shown = {
    id: organizationId,
    name: "Managed 1",
    plan: true,
    payment_method: true,
    credits: 200,
    held: 0,
    policy: { allow_models: null, deny_models: [], tool_calls_per_turn: null },
    limits: {
      create_per_minute: null,
      retrieve_per_minute: null,
      delete_per_minute: null,
      tokens_per_minute: null,
      open_streams: null,
      concurrent_turns: null,
    },
  };
  assert.deepEqual(await operator("GET", path), shown);
  assert.deepEqual(await operator("GET", `${path}/credits`), shown);
  assert.deepEqual(await operator("POST", `${path}/suspend`), { ...shown, suspended: true });
  assert.deepEqual(await operator("POST", `${path}/resume`), shown);
  const limits = {
    create_per_minute: 1000,
    retrieve_per_minute: 2000,
    delete_per_minute: 3000,
    tokens_per_minute: 4000,
    open_streams: 4,
    concurrent_turns: 5,
  };
  assert.deepEqual(await operator("POST", `${path}/limits`, limits), { ...shown, limits, ceilings: { limits } });
  const policy = { allow_models: ["test/priced"], deny_models: ["test/small"], tool_calls_per_turn: 5 };
  assert.deepEqual(await operator("POST", `${path}/policy`, policy), {
    ...shown,
    limits,
    policy,
    ceilings: { limits, policy },
  });
  const { data } = await operator("GET", "/organizations");
  assert.deepEqual(data.at(-1), { ...shown, limits, policy, ceilings: { limits, policy } });
});

test("keys, tokens and members, without a secret", async () => {
  const limits = {
    allow_models: null,
    create_per_minute: null,
    retrieve_per_minute: null,
    delete_per_minute: null,
    tokens_per_minute: null,
    concurrent_turns: null,
  };
  const web = {
    id: key.id,
    name: "web app",
    member: member.id,
    permissions: "all",
    unanswered_calls: "refuse",
    limits,
    created: now(),
    revoked_at: null,
    last_used_at: null,
    old_secret_valid_until: null,
  };
  assert.deepEqual((await operator("GET", `${path}/keys`)).data, [web]);
  const body = { name: "reader", permissions: "read", unanswered_calls: "drop" };
  const other = await operator("POST", `${path}/keys`, body);
  await operator("POST", `${path}/keys/${other.id}/revoke`);
  const { name, permissions, unanswered_calls } = body;
  const times = { created: now(), revoked_at: now(), last_used_at: null, old_secret_valid_until: null };
  const reader = { id: other.id, name, member: null, permissions, unanswered_calls, limits, ...times };
  assert.deepEqual((await operator("GET", `${path}/keys`)).data, [web, reader]);

  const token = await operator("POST", `${path}/tokens`, { name: "deploys", role: "admin" });
  await operator("POST", `${path}/tokens/${token.id}/revoke`);
  const whose = { organization: organizationId, role: "admin", permissions: "all" };
  const created = { created: now(), created_by: { kind: "service", id: "tests" } };
  const deploys = { id: token.id, name: "deploys", ...whose, ...created, expires_at: null, revoked_at: now() };
  assert.deepEqual((await operator("GET", `${path}/tokens`)).data, [deploys]);
  const all = (await operator("GET", "/tokens")).data;
  assert.deepEqual(all.at(-1), deploys);
  assert.deepEqual([all[0].organization, all[0].role], [null, "operator"]);

  const [, shown] = (await operator("GET", `${path}/members`)).data;
  assert.deepEqual(shown, { id: member.id, email: member.email, role: "member" });
});

test("usage by key, member, model and day, a budget and the reconciliation after a response", async () => {
  const { service } = managed;
  const { scope, period } = { scope: "key", period: "month" } as const;
  await operator("POST", `${path}/budgets`, { scope, id: key.id, period, limit: 50 });
  const sent = { key: key.secret, body: { model: "test/priced", input: "Hi" } };
  const { status, text } = await request(service.baseUrl, "POST", "/v1/responses", sent);
  assert.equal(status, 200, text);
  const counted = {
    responses: 1,
    input_tokens: 10,
    cached_tokens: 2,
    cache_write_tokens: 1,
    output_tokens: 5,
    reasoning_tokens: 1,
    // 13 tokens at a tenth of a credit, 2 at a hundredth.
    credits: 1.32,
    cached_share: 0.2,
    // Two cached tokens at a hundredth of a credit instead of a tenth.
    saved: 0.18,
  };
  const usage = async (query: string) => (await operator("GET", `${path}/usage${query}`)).data;
  assert.deepEqual(await usage(""), [counted]);
  const [used] = (await operator("GET", `${path}/keys`)).data;
  assert.deepEqual([used.id, used.last_used_at], [key.id, now()]);
  assert.deepEqual(await usage("?by=key"), [{ key: key.id, name: "web app", ...counted }]);
  assert.deepEqual(await usage("?by=member"), [{ member: member.id, email: member.email, ...counted }]);
  assert.deepEqual(await usage("?by=model"), [{ model: "test/priced", ...counted }]);
  const day = formatDay(billingDayOf(service.clock.nowMs()));
  const begin = Date.parse(day) / 1000;
  const ofDay = { from: begin, to: begin + 86_400 };
  assert.deepEqual(await usage("?by=day"), [{ day, ...ofDay, ...counted }]);
  assert.deepEqual(await usage(`?by=day&from=${day}&to=${day}`), [{ day, ...ofDay, ...counted }]);
  assert.deepEqual(await usage("?by=day&from=2099-01-01"), []);
  const hour = `${day}T00:00Z`;
  const ofHour = { from: begin, to: begin + 3600 };
  assert.deepEqual(await usage("?by=hour"), [{ hour, ...ofHour, ...counted }]);
  assert.deepEqual(await usage("?by=model,hour"), [{ model: "test/priced", hour, ...ofHour, ...counted }]);
  // In New York it is still the evening before.
  const dayBefore = formatDay(billingDayOf(service.clock.nowMs()) - 1);
  const there = { day: dayBefore, from: begin - 19 * 3600, to: begin + 5 * 3600 };
  assert.deepEqual(await usage(`?by=day&from=${dayBefore}&to=${dayBefore}&zone=America/New_York`), [
    { ...there, ...counted },
  ]);
  assert.deepEqual(await usage(`?by=day&from=${day}&to=${day}&zone=America/New_York`), []);
  const inZone = await operator("GET", `${path}/usage?from=${dayBefore}&to=${dayBefore}&zone=America/New_York`);
  assert.deepEqual(inZone, { from: there.from, to: there.to, data: [counted] });
  assert.deepEqual(await usage(`?by=month&from=${day}&to=${day}`), [{ month: day.slice(0, 7), ...ofDay, ...counted }]);
  assert.deepEqual(await usage("?by=key&member=none"), []);
  assert.deepEqual(await usage(`?member=${member.id}&key=${key.id}&model=test/priced`), [counted]);
  for (const other of ["member=mem_other", "key=key_other", "model=test/other"]) {
    assert.deepEqual(await usage(`?by=key&${other}`), [], other);
  }
  const ofKey = { key: key.id, name: "web app" };
  assert.deepEqual(await usage("?by=key,member"), [{ ...ofKey, member: member.id, email: member.email, ...counted }]);
  const all = async (query: string) => (await operator("GET", `/usage${query}`)).data;
  assert.deepEqual(await all("?by=organization,day"), [
    { organization: organizationId, organization_name: "Managed 1", day, ...ofDay, ...counted },
  ]);
  assert.deepEqual(await all("?by=model&organization=org_other"), []);
  assert.deepEqual(await all(`?by=model&organization=${organizationId}`), [{ model: "test/priced", ...counted }]);
  for (const by of ["organization", "day,hour", "key,key", "key,model,member", "nothing"]) {
    const { status: refused, json } = await managed.ask(managed.operator, "GET", `${path}/usage?by=${by}`);
    assert.deepEqual([refused, json.error.param], [400, "by"], by);
  }
  assert.deepEqual(await usage("?by=day&to=2000-01-01"), []);

  assert.deepEqual((await operator("GET", `${path}/budgets`)).data, [
    { scope, id: key.id, period, limit: 50, spent: 1.32, held: 0, used_up_at: null, ceiling: 50, own_limit: null },
  ]);
  assert.equal((await operator("GET", path)).credits, 198.68);

  const whole = { responses: 1, budget_periods: 1, differences_found: 0, differences: [] };
  const reconciled = await operator("GET", `/reconciliation?organization_id=${organizationId}`);
  const { transfers, ...rest } = reconciled;
  assert.deepEqual(rest, { organizations: 1, ...whole });
  assert.ok(transfers >= 3, "a top-up, a hold and its settlement");
});

test("sessions: a member's, a program's and an operator's", async () => {
  const person = await managed.signedIn({ id: member.id, organizationId });
  const expires = now() + 7 * 24 * 3600;
  const organization = { id: organizationId, name: "Managed 1" };
  const shown = (await managed.ask(person, "GET", "/session")).json;
  assert.deepEqual(shown, {
    kind: "session",
    role: "member",
    organization,
    member: { id: member.id, email: member.email, role: "member" },
    operator: null,
    has_password: true,
    token: null,
    csrf_token: "csrf" in person ? person.csrf : "",
    expires_at: expires,
    ...OF_ALL,
  });
  const program = await managed.newProgram(organizationId, "admin");
  const token = (await managed.store.listTokens({ organizationId })).find(({ name }) => name === "tests");
  assert.deepEqual((await managed.ask(program, "GET", "/session")).json, {
    kind: "token",
    role: "admin",
    organization,
    member: null,
    operator: null,
    has_password: false,
    token: { id: token?.id, name: "tests" },
    csrf_token: null,
    expires_at: null,
    ...OF_ALL,
  });
  const operatorSession = await managed.operatorSession("Ada");
  assert.deepEqual((await managed.ask(operatorSession, "GET", "/session")).json, {
    kind: "session",
    role: "operator",
    organization: null,
    member: null,
    operator: { name: "Ada" },
    has_password: false,
    token: null,
    csrf_token: "csrf" in operatorSession ? operatorSession.csrf : "",
    expires_at: expires,
    ...OF_ALL,
  });
});

test("a page of the audit log has more only if an entry is left", async () => {
  const id = await managed.newOrganization();
  const audit = (query: string) => operator("GET", `/organizations/${id}/audit${query}`);
  for (const action of ["suspend", "resume"]) await operator("POST", `/organizations/${id}/${action}`);
  const { data, has_more } = await audit("?limit=3");
  assert.deepEqual(
    data.map(({ action }: { action: string }) => action),
    ["organization.resume", "organization.suspend", "organization.create"],
  );
  assert.equal(has_more, false);
  assert.equal((await audit("?limit=2")).has_more, true);
  const rest = await audit(`?limit=2&before=${data[0].id}`);
  assert.deepEqual([rest.data, rest.has_more], [data.slice(1), false]);
});

test("the log has changes, not reads", async () => {
  const told = () =>
    managed.service.logged.filter(({ event }) => event === "manage.changed").map(({ fields }) => fields);
  const earlier = told().length;
  await operator("GET", path);
  await operator("GET", "/models");
  assert.equal(told().length, earlier);
  await operator("POST", `${path}/suspend`);
  await operator("POST", `${path}/resume`);
  const [token] = await managed.store.listTokens({ organizationId: null });
  const actor = { actor_kind: "token", actor_id: token?.id, organization: organizationId };
  assert.deepEqual(told().slice(earlier), [
    { operation: "suspendOrganization", ...actor },
    { operation: "resumeOrganization", ...actor },
  ]);
});
