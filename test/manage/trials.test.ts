// Budgets and policies tried on the last month: what they say beside what a real one rejects, for whom, and what cannot
// be tried.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { testModel } from "../support/service-config.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PRICES = { input: 100, cached_input: 100, cache_write: 100, output: 100 };

const managed = await managedForFile({
  models: [testModel("test/free"), testModel("test/priced", { prices: PRICES })],
});

/** An organization of its own with an owner, a member and two keys; the clock is at the beginning of a day. */
async function stage() {
  const { organizationId } = await managed.service.newOrganization();
  const owner = await managed.newProgram(organizationId, "owner");
  const member = await managed.newMember(organizationId, "member");
  const keyOf = async (body: object) => {
    const { json } = await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, { body });
    return { id: String(json.id), secret: String(json.secret) };
  };
  const keys = [await keyOf({ name: "of a member", member: member.id }), await keyOf({ name: "of nobody" })] as const;
  const { clock } = managed.service;
  await clock.advance(DAY_MS - (clock.nowMs() % DAY_MS));
  return { organizationId, owner, member, keys };
}

async function run(key: { secret: string }, model = "test/priced") {
  return managed.service.create({ model, input: "a question", max_output_tokens: 100 }, { key: key.secret });
}

async function trial(who: Identity, organizationId: string, of: "budgets" | "policy", query: object): Promise<Loose> {
  const text = new URLSearchParams({ ...query }).toString();
  const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/${of}/trial?${text}`);
  assert.equal(status, 200, JSON.stringify(json));
  const shape = replyShape(of === "budgets" ? "tryBudget" : "tryPolicy");
  assert.equal(Check(shape, json as unknown), true, JSON.stringify(json));
  return json;
}

async function spentOf(owner: Identity, organizationId: string): Promise<number> {
  const { json } = await managed.ask(owner, "GET", `/organizations/${organizationId}/usage`);
  return json.data[0].credits;
}

test("a trial tells the responses that the budget rejects when it is set", async () => {
  const { organizationId, owner, keys } = await stage();
  await run(keys[0]);
  const limit = await spentOf(owner, organizationId);
  await managed.service.clock.advance(HOUR_MS);
  for (const key of [keys[0], keys[1], keys[0]]) await run(key);
  const found = await trial(owner, organizationId, "budgets", { scope: "organization-day", limit });
  const all = await spentOf(owner, organizationId);
  assert.deepEqual(
    [found.scope, found.id, found.period, found.responses, found.credits, found.rejected_responses],
    ["organization-day", null, "day", 4, all, 3],
  );
  assert.ok(Math.abs(found.rejected_credits - (all - limit)) < 1e-9);
  const [day] = found.periods;
  assert.equal(found.periods.length, 1);
  assert.deepEqual([day.to - day.from, day.rejects_from], [86_400, day.from + 3600]);

  // The same turns with the budget in force: of the first hour all, of the second none.
  const body = { scope: "organization-day", limit };
  await managed.ask(owner, "POST", `/organizations/${organizationId}/budgets`, { body });
  await managed.service.clock.advance(DAY_MS - HOUR_MS);
  // Without a reservation, as in a trial, the first response fits: the limit is raised for as long as it runs.
  await managed.ask(owner, "POST", `/organizations/${organizationId}/budgets`, { body: { ...body, limit: 1 } });
  assert.equal((await run(keys[0])).status, 200);
  await managed.ask(owner, "POST", `/organizations/${organizationId}/budgets`, { body });
  await managed.service.clock.advance(HOUR_MS);
  for (const key of [keys[0], keys[1], keys[0]]) assert.equal((await run(key)).status, 429);
  assert.equal((await run(keys[0], "test/free")).status, 429);
});

test("a budget of a key or of a member, by id or address, counts that one's responses alone", async () => {
  const { organizationId, owner, member, keys } = await stage();
  await run(keys[0]);
  await run(keys[1]);
  await run(keys[1]);
  for (const [query, id, responses] of [
    [{ scope: "key", id: keys[1].id }, keys[1].id, 2],
    [{ scope: "member", id: member.id }, member.id, 1],
    [{ scope: "member", id: member.email.toUpperCase() }, member.id, 1],
    [{ scope: "organization" }, null, 3],
  ] as const) {
    const found = await trial(owner, organizationId, "budgets", { ...query, period: "month", limit: 0 });
    assert.deepEqual([found.id, found.responses, found.rejected_responses], [id, responses, responses]);
  }
});

test("a total budget counts what was spent before the last 30 days, a month what was spent since it began", async () => {
  const { organizationId, owner, keys } = await stage();
  await run(keys[0]);
  const limit = await spentOf(owner, organizationId);
  await managed.service.clock.advance(70 * DAY_MS);
  await run(keys[0]);
  const total = await trial(owner, organizationId, "budgets", { scope: "organization", limit });
  assert.deepEqual([total.period, total.responses, total.rejected_responses], ["total", 1, 1]);
  assert.deepEqual(total.periods[0].to, null);
  const month = await trial(owner, organizationId, "budgets", {
    scope: "organization",
    period: "month",
    limit: limit * 2,
  });
  assert.deepEqual([month.rejected_responses, month.periods[0].rejects_from], [0, null]);
  assert.equal(new Date(month.from * 1000).getUTCDate(), 1);
});

test("a policy's trial tells the models that it would not have allowed", async () => {
  const { organizationId, owner, keys } = await stage();
  await run(keys[0]);
  await run(keys[0], "test/free");
  await run(keys[1], "test/free");
  const modelsOf = async (query: object) => {
    const found = await trial(owner, organizationId, "policy", query);
    assert.equal(found.responses, 3);
    return [found.rejected_responses, found.models.map((each: Loose) => [each.model, each.responses])];
  };
  assert.deepEqual(await modelsOf({}), [0, []]);
  assert.deepEqual(await modelsOf({ allow_models: "test/priced" }), [2, [["test/free", 2]]]);
  assert.deepEqual(await modelsOf({ deny_models: "priced" }), [1, [["test/priced", 1]]]);
  assert.deepEqual(await modelsOf({ allow_models: "test/priced,test/free", deny_models: "free" }), [
    2,
    [["test/free", 2]],
  ]);
  assert.deepEqual((await modelsOf({ allow_models: "" }))[0], 3);
});

test("what cannot be tried is a 400 that names the parameter; other organizations' keys and members are nobody", async () => {
  const { organizationId, owner } = await stage();
  const other = await stage();
  await run(other.keys[0]);
  for (const [of, query, param] of [
    ["budgets", "limit=1", "scope"],
    ["budgets", "scope=all&limit=1", "scope"],
    ["budgets", "scope=organization", "limit"],
    ["budgets", "scope=organization&limit=-1", "limit"],
    ["budgets", "scope=organization&limit=1&period=week", "period"],
    ["budgets", "scope=key&limit=1", "scope"],
    ["budgets", "scope=key&id=&limit=1", "id"],
    ["budgets", "scope=response&limit=1", null],
    ["budgets", `scope=key&id=${other.keys[0].id}&limit=1`, null],
    ["budgets", `scope=member&id=${other.member.id}&limit=1`, null],
    ["policy", "deny_models=unknown", "deny_models"],
    ["policy", "models=a", "models"],
  ] as const) {
    const path = `/organizations/${organizationId}/${of}/trial?${query}`;
    const { status, json } = await managed.ask(owner, "GET", path);
    assert.deepEqual([status, json.error.code, json.error.param], [400, "invalid_input", param], query);
  }
  const member = await managed.newProgram(organizationId, "member");
  const path = `/organizations/${organizationId}/budgets/trial?scope=organization&limit=1`;
  assert.equal((await managed.ask(member, "GET", path)).status, 403);
});
