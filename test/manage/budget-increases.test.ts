// The holder of a key asks for more than a budget's limit; an owner or admin grants or declines it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import type { Loose } from "../support/http-client.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const DAY_SECONDS = 86_400;
const KEY_MONTH = { scope: "key", period: "month" } as const;

const managed = await managedForFile({ models: PRICED_MODELS });

const askForMore = (key: string, body: object) => managed.ask({ token: key }, "POST", "/me/budget-increases", { body });
const budgetsOfHolder = async (key: string): Promise<Loose> =>
  (await managed.ask({ token: key }, "GET", "/me")).json.budgets;

/** A key with a monthly budget of one credit, an owner, and what the owner does. */
async function openDesk() {
  const { service } = managed;
  const purse = await Purse.open(service, 1000);
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 1);
  const owner = await managed.newPerson(purse.organizationId, "owner");
  const path = `/organizations/${purse.organizationId}`;
  const manage = (method: string, rest: string, body?: object, as: Identity = owner) =>
    managed.ask(as, method, path + rest, body === undefined ? {} : { body });
  const increases = async (): Promise<Loose[]> => {
    const { json, text } = await manage("GET", "/budget-increases");
    const data: Loose[] = json.data;
    assert.ok(Check(replyShape("listIncreases"), json), text);
    return data;
  };
  const budgets = async (): Promise<Loose[]> => (await manage("GET", "/budgets")).json.data;
  return { purse, owner, manage, increases, budgets };
}

test("a key asks for more, an owner grants it, and the key's next response runs until the month ends", async () => {
  const { purse, manage, increases, budgets } = await openDesk();
  const { clock } = managed.service;
  const create = () => purse.create({ input: "Hi" });
  await create();
  assert.equal((await create()).json["error"]?.code, "scope_budget_exceeded");
  const now = Math.floor(clock.nowMs() / 1000);
  const asked = await askForMore(purse.key, { ...KEY_MONTH, amount: 20 });
  assert.deepEqual([asked.status, asked.json], [200, { done: true }]);

  const [holder] = await budgetsOfHolder(purse.key);
  assert.deepEqual(holder.increase, { amount: 20, at: now });
  const [request, ...others] = await increases();
  const budget = { scope: "key", id: purse.keyId, period: "month" };
  const { id, ...rest } = request ?? {};
  const until = holder.resets_at;
  assert.deepEqual(rest, { key: purse.keyId, key_name: purse.keyId, budget, amount: 20, at: now, until });
  assert.deepEqual(others, []);

  const granted = await manage("POST", `/budget-increases/${id}/grant`, { amount: 20 });
  assert.equal(granted.status, 200, granted.text);
  assert.deepEqual(granted.json.raise, { amount: 20, until });
  assert.deepEqual(await increases(), []);
  assert.deepEqual((await budgetsOfHolder(purse.key))[0].increase, undefined);
  assert.equal((await create()).status, 200);
  const [entry] = (await manage("GET", "/audit")).json.data;
  assert.deepEqual(
    [entry.action, entry.after],
    ["budget.raise", { raise: { amount: 20, until }, set_by: "organization" }],
  );

  // A second one is granted on top of it, with another amount, and once only.
  await askForMore(purse.key, { ...KEY_MONTH, amount: 7 });
  const [second] = await increases();
  const path = `/budget-increases/${second?.["id"]}/grant`;
  assert.deepEqual((await manage("POST", path, { amount: 5 })).json.raise, { amount: 25, until });
  assert.equal((await manage("POST", path, { amount: 5 })).status, 404);
  assert.deepEqual((await budgets())[0]?.["raise"], { amount: 25, until });
});

test("a budget without periods gets a higher limit; a grant beside a raise that ends at another time is a 400", async () => {
  const { purse, manage, increases, budgets } = await openDesk();
  const { clock } = managed.service;
  const grantAll = async () => {
    for (const { id, amount } of await increases()) {
      assert.equal((await manage("POST", `/budget-increases/${id}/grant`, { amount })).status, 200);
    }
  };
  await purse.setBudget({ scope: "organization", id: null, period: "total" }, 50);
  await purse.setBudget({ scope: "response", id: null, period: "total" }, 3);
  await purse.setBudget({ scope: "member", id: purse.memberId, period: "day" }, 10);
  await askForMore(purse.key, { scope: "organization", amount: 30 });
  await askForMore(purse.key, { scope: "response", amount: 2 });
  await askForMore(purse.key, { scope: "member", period: "day", amount: 4 });
  const until = Math.floor(clock.nowMs() / 1000) + 40 * DAY_SECONDS;
  const member = { scope: "member", id: purse.memberId, period: "day" };
  assert.equal((await manage("POST", "/budgets/raise", { ...member, amount: 1, until })).status, 200);
  const ofMember = (await increases()).find(({ budget }) => budget.scope === "member");
  const early = await manage("POST", `/budget-increases/${ofMember?.["id"]}/grant`, { amount: 4 });
  assert.deepEqual([early.status, early.json.error.code], [400, "invalid_input"]);
  assert.match(early.json.error.message, /ends at another time/);
  assert.equal((await increases()).length, 3);
  assert.equal((await manage("POST", "/budgets/raise", { ...member, amount: 0, until })).status, 200);
  await grantAll();
  const all = await budgets();
  const of = (scope: string) => all.find((budget) => budget["scope"] === scope);
  assert.deepEqual([of("organization")?.["limit"], of("response")?.["limit"], of("member")?.["limit"]], [80, 5, 10]);
  assert.equal(of("member")?.["raise"].amount, 4);
  assert.ok(of("member")?.["raise"].until < until);
});

test("a declined request is gone, and the audit log names who declined it", async () => {
  const { purse, owner, manage, increases } = await openDesk();
  await askForMore(purse.key, { ...KEY_MONTH, amount: 20 });
  const [request] = await increases();
  const path = `/budget-increases/${request?.["id"]}/decline`;
  assert.deepEqual((await manage("POST", path)).json, { done: true });
  assert.equal((await manage("POST", path)).status, 404);
  assert.deepEqual(await increases(), []);
  const [entry] = (await manage("GET", "/audit")).json.data;
  assert.deepEqual([entry.action, entry.before], ["budget.decline", { key: purse.keyId, amount: 20 }]);
  assert.equal(entry.actor.kind, "session" in owner ? "member" : entry.actor.kind);
});

test("a request lapses with the period, with the budget and with the key, and another organization never sees it", async () => {
  const { purse, manage, increases } = await openDesk();
  const other = await openDesk();
  await askForMore(purse.key, { ...KEY_MONTH, amount: 20 });
  const [{ id } = {}] = await increases();
  assert.deepEqual(await other.increases(), []);
  for (const action of ["grant", "decline"]) {
    const body = action === "grant" ? { amount: 20 } : undefined;
    assert.equal((await other.manage("POST", `/budget-increases/${id}/${action}`, body)).status, 404);
  }
  managed.service.clock.advance(32 * DAY_SECONDS * 1000);
  const session = await managed.newPerson(purse.organizationId, "admin");
  const seen = async () => (await manage("GET", "/budget-increases", undefined, session)).json.data.length;
  assert.equal(await seen(), 0);
  assert.equal((await manage("POST", `/budget-increases/${id}/grant`, { amount: 20 }, session)).status, 404);

  await askForMore(purse.key, { ...KEY_MONTH, amount: 20 });
  assert.equal(await seen(), 1);
  await manage("POST", "/budgets/clear", { scope: "key", id: purse.keyId, period: "month" }, session);
  assert.equal(await seen(), 0);
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 1);
  await askForMore(purse.key, { ...KEY_MONTH, amount: 20 });
  await manage("POST", `/keys/${purse.keyId}/revoke`, {}, session);
  assert.equal(await seen(), 0);
});

test("a later request of a key for a budget replaces the one before, and the feed has one event a day", async () => {
  const { purse, manage, increases } = await openDesk();
  for (const amount of [20, 30, 40]) await askForMore(purse.key, { ...KEY_MONTH, amount });
  assert.deepEqual(
    (await increases()).map(({ amount }) => amount),
    [40],
  );
  const { data } = (await manage("GET", "/events")).json;
  const asked = data.filter(({ type }: Loose) => type === "budget.increase_requested");
  const message = `The API key ${purse.keyId} asks for 20.00 credits more in its own budget.`;
  assert.deepEqual([asked.length, asked[0].message, asked[0].actor], [1, message, null]);
});

test("a key asks only about a budget that its responses count in, with a positive amount", async () => {
  const { purse, increases } = await openDesk();
  const { secret } = await managed.service.newKey(purse.organizationId);
  for (const [key, body] of [
    [purse.key, { scope: "key", period: "day", amount: 20 }],
    [purse.key, { ...KEY_MONTH, amount: 0 }],
    [purse.key, { ...KEY_MONTH, amount: -1 }],
    [purse.key, { ...KEY_MONTH, amount: 0.0000001 }],
    [purse.key, { ...KEY_MONTH, amount: 20, id: "key_of_another" }],
    [purse.key, { scope: "organization-day", period: "month", amount: 20 }],
    [purse.key, { amount: 20 }],
    [secret, { ...KEY_MONTH, amount: 20 }],
    [secret, { scope: "member", period: "month", amount: 20 }],
  ] as const) {
    const { status, json } = await askForMore(key, body);
    assert.deepEqual([status, json.error?.code], [400, "invalid_input"], JSON.stringify(body));
  }
  assert.deepEqual(await increases(), []);
  assert.equal((await askForMore("sk_wrong", { ...KEY_MONTH, amount: 20 })).status, 401);
});

test("a budget has the forecast of when it is used up at the pace of its period", async () => {
  const { purse, manage, budgets } = await openDesk();
  const { clock } = managed.service;
  await purse.setBudget({ scope: "organization", id: null, period: "month" }, 1000);
  await purse.setBudget({ scope: "organization", id: null, period: "total" }, 1000);
  await purse.setBudget({ scope: "member", id: purse.memberId, period: "day" }, 2);
  const before = await budgets();
  assert.deepEqual(
    before.map((budget) => budget["used_up_at"]),
    before.map(() => null),
  );
  const midnight = Math.floor(clock.nowMs() / 1000 / DAY_SECONDS) * DAY_SECONDS + DAY_SECONDS;
  const quarterSeconds = DAY_SECONDS / 4;
  clock.advance((midnight + quarterSeconds) * 1000 - clock.nowMs());
  await purse.create({ input: "Hi" });
  const all = (await manage("GET", "/budgets", undefined, managed.operator)).json.data;
  const forecast = (scope: string, period: string) =>
    all.find((budget: Loose) => budget["scope"] === scope && budget["period"] === period)?.["used_up_at"];
  assert.equal(forecast("organization", "month"), null, "not within the month");
  assert.equal(forecast("organization", "total"), null, "it has no pace");
  assert.equal(forecast("member", "day"), Math.floor(midnight + (quarterSeconds * 2) / 1.32));
});
