// Why a request was rejected, over the management interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile({ models: PRICED_MODELS });
const purse = await Purse.open(managed.service, 500);
const owner = await managed.newPerson(purse.organizationId, "owner");
const path = `/organizations/${purse.organizationId}/rejections`;

/** Makes a request that is rejected; its id, when it is kept. */
async function reject(body: object, key = purse.key) {
  const { status, headers } = await managed.service.create({ model: "test/priced", ...body }, { key });
  assert.ok(status >= 400, `${status}`);
  await managed.service.gateway.rejections.write();
  return String(headers["x-request-id"]);
}

async function show(who: Identity, requestId: string) {
  const { status, json } = await managed.ask(who, "GET", `${path}/${requestId}`);
  if (status === 200) {
    assert.equal(Check(replyShape("showRejection"), json as unknown), true, JSON.stringify(json));
  }
  return { status, json };
}

test("a spent budget is explained with what the client was told, the rule, what lifts it and the figures now", async () => {
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 0);
  const requestId = await reject({ input: "Hi" });
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 300);
  const { json } = await show(owner, requestId);
  assert.equal(json.request_id, requestId);
  assert.deepEqual([json.status, json.code, json.operation], [429, "scope_budget_exceeded", "createResponse"]);
  assert.deepEqual([json.key, json.skipped, json.param], [purse.keyId, 0, null]);
  assert.match(json.message, /^The spending limit of this API key for the month is used up: 0\.0 of 0\.0 credits/);
  assert.match(json.rule, /^A response starts only if every budget/);
  assert.match(json.lifted_by[0], /^An owner or admin raises the budget for a while/);
  const [budget, ...more] = json.now.budgets;
  assert.deepEqual(more, []);
  assert.deepEqual(
    { ...budget, resets_at: new Date(budget.resets_at * 1000).toISOString() },
    { scope: "key", period: "month", limit: 300, left: 300, held: 0, resets_at: "2026-12-01T00:00:00.000Z" },
  );
  assert.deepEqual([json.now.credits, json.now.held, json.now.suspended, json.now.plan], [500, 0, false, true]);
  assert.equal(json.now.limits.create_per_minute, managed.service.manageServices.limits.requests_per_minute.create);
});

test("an invalid request is explained without anything that it said", async () => {
  const requestId = await reject({ input: "Hi", metadata: { "my secret": 5 } });
  const { json } = await show(owner, requestId);
  assert.deepEqual([json.code, json.message], ["invalid_input", null]);
  assert.doesNotMatch(JSON.stringify(json), /my secret/);
});

test("members see those of their own keys, others get the same 404 as for a request that was never made", async () => {
  const requestId = await reject({ model: "test/none", input: "Hi" });
  const of = { id: purse.memberId, organizationId: purse.organizationId };
  const own = await managed.signedIn(of);
  const other = await managed.newPerson(purse.organizationId, "member");
  assert.equal((await show(own, requestId)).status, 200);
  const foreign = await show(other, requestId);
  assert.equal(foreign.status, 404);
  assert.deepEqual(foreign.json, (await show(owner, "req_never")).json);
  const list = async (who: Identity) => (await managed.ask(who, "GET", `${path}?limit=1`)).json;
  const page = await list(own);
  assert.equal(Check(replyShape("listRejections"), page as unknown), true, JSON.stringify(page));
  assert.deepEqual([page.data[0].request_id, page.has_more], [requestId, true]);
  assert.deepEqual(await list(other), { data: [], has_more: false });
  const elsewhere = await managed.newPerson(await managed.newOrganization(), "owner");
  assert.equal((await show(elsewhere, requestId)).status, 404);
});
