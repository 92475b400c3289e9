// Where money stands in all organizations, for the operator. docs/management.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { until } from "../support/until.ts";
import { managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile({ models: PRICED_MODELS });

async function read(query = ""): Promise<Loose> {
  const { status, json, text } = await managed.ask(managed.operator, "GET", `/spending${query}`);
  assert.equal(status, 200, text);
  assert.ok(Check(replyShape("listSpending"), json), text);
  return json;
}

const find = async (id: string, query = ""): Promise<Loose> =>
  (await read(query)).data.find(({ organization }: Loose) => organization === id);

test("an organization that is served, and the budget that blocks another", async () => {
  const served = await Purse.open(managed.service, 100);
  const purse = await Purse.open(managed.service, 100);
  await purse.setBudget({ scope: "organization-day", id: null, period: "day" }, 0);
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 5);
  assert.equal((await purse.create({ input: "Hi" })).json.error.code, "scope_budget_exceeded");
  // Rejected requests are written a second later.
  await managed.service.clock.advance(1000);
  await until("the rejection", async () => (await find(purse.organizationId))?.["last_rejection"] !== null);
  const blocked = await find(purse.organizationId, "?blocked=true");
  assert.deepEqual(blocked["blocked_by"], ["budget_used_up"]);
  assert.deepEqual(
    [blocked["last_rejection"].code, blocked["last_rejection"].key],
    ["scope_budget_exceeded", purse.keyId],
  );
  assert.deepEqual(
    blocked["budgets"].map(({ scope, limit, spent }: Loose) => [scope, limit, spent]),
    [
      ["organization-day", 0, 0],
      ["key", 5, 0],
    ],
  );
  const shown = await find(served.organizationId);
  assert.deepEqual([shown["blocked_by"], shown["credits"], shown["last_rejection"]], [[], 100, null]);
  assert.equal(await find(served.organizationId, "?blocked=true"), undefined);
});

test("each reason that blocks an organization", async () => {
  const id = await managed.newOrganization();
  const change = (rest: string, body: object = {}) =>
    managed.ask(managed.operator, "POST", `/organizations/${id}/${rest}`, { body });
  const reasons = async () => (await find(id))?.["blocked_by"];
  assert.deepEqual(await reasons(), ["no_payment_method", "no_plan", "no_credits"]);
  await change("suspend");
  assert.deepEqual(await reasons(), ["suspended", "no_payment_method", "no_plan", "no_credits"]);
  await change("resume");
  await change("payment-method");
  assert.deepEqual(await reasons(), ["no_plan", "no_credits"]);
  await change("plan");
  await change("credits", { amount: 1 });
  assert.deepEqual(await reasons(), []);
});

test("pages end where they say, and together have every organization once", async () => {
  for (let index = 0; index < 3; index++) await managed.newOrganization();
  const ids: string[] = [];
  let after = "";
  for (let pages = 0; ; pages++) {
    assert.ok(pages < 100, "it ends");
    const { data, next, has_more: hasMore } = await read(`?limit=2${after}`);
    assert.equal(hasMore, next !== null);
    ids.push(...data.map(({ organization }: Loose) => organization));
    if (next === null) break;
    assert.equal(data.length, 2);
    after = `&after=${next}`;
  }
  const all = (await read("?limit=500")).data.map(({ organization }: Loose) => organization);
  assert.deepEqual(ids, all);
  assert.equal(new Set(ids).size, ids.length);
});
