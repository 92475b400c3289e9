// What the operator sets for an organization is a ceiling for its owners and admins. docs/decisions/ceilings.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { type Identity, managedForFile } from "./managed-service.ts";

const managed = await managedForFile({
  models: PRICED_MODELS,
  limits: { retention_days: 90, requests_per_minute: { create: 600, retrieve: 600, delete: 600 } },
});

/** A new organization, its operator, and its owner and admin, each as a program and as a person. */
async function openOrganization() {
  const id = await managed.newOrganization();
  const path = `/organizations/${id}`;
  const change = async (who: Identity, rest: string, body: object) => {
    const { status, json } = await managed.ask(who, "POST", `${path}/${rest}`, { body });
    return { status, json };
  };
  return {
    path,
    operator: (rest: string, body: object) => change(managed.operator, rest, body),
    change,
    show: async (who: Identity, rest = "") => (await managed.ask(who, "GET", `${path}${rest}`)).json,
    managers: [
      await managed.newProgram(id, "owner"),
      await managed.newPerson(id, "owner"),
      await managed.newProgram(id, "admin"),
      await managed.newPerson(id, "admin"),
    ] as const,
  };
}

type Changed = Awaited<ReturnType<Awaited<ReturnType<typeof openOrganization>>["operator"]>>;

function assertDenied({ status, json }: Changed, what: RegExp): void {
  assert.deepEqual([status, json.error.code], [403, "access_denied"], JSON.stringify(json));
  assert.match(json.error.message, /^The operator of the service has set /);
  assert.match(json.error.message, what);
}

const MONTH = { scope: "organization", period: "month" } as const;

test("a budget: owners and admins set a lower limit, and neither loosen nor remove the operator's", async () => {
  const { operator, change, show, managers } = await openOrganization();
  const set = await operator("budgets", { ...MONTH, limit: 100 });
  assert.deepEqual([set.json.limit, set.json.ceiling, set.json.own_limit], [100, 100, null]);
  for (const who of managers) {
    assertDenied(await change(who, "budgets", { ...MONTH, limit: 100.000001 }), /this budget's limit to 100 credits/);
    assertDenied(await change(who, "budgets/clear", MONTH), /100 credits/);
    const until = Math.floor(managed.service.clock.nowMs() / 1000) + 3600;
    assertDenied(await change(who, "budgets/raise", { ...MONTH, amount: 1, until }), /100 credits/);
    const own = await change(who, "budgets", { ...MONTH, limit: 60 });
    assert.deepEqual([own.status, own.json.limit, own.json.ceiling, own.json.own_limit], [200, 60, 100, 60]);
    const raised = await change(who, "budgets/raise", { ...MONTH, amount: 40, until });
    assert.deepEqual([raised.status, raised.json.raise.amount], [200, 40]);
    assertDenied(await change(who, "budgets/raise", { ...MONTH, amount: 40.1, until }), /100 credits/);
    assert.equal((await change(who, "budgets/raise", { ...MONTH, amount: 0, until: 0 })).status, 200);
    const shown = await show(who, "/budgets");
    assert.deepEqual([shown.data[0].limit, shown.data[0].ceiling, shown.data[0].own_limit], [60, 100, 60]);
    const cleared = await change(who, "budgets/clear", MONTH);
    assert.deepEqual([cleared.status, cleared.json.limit, cleared.json.own_limit], [200, 100, null]);
  }
});

test("a budget of a member, whom the request names by e-mail address, and what a key asks for beyond its budget", async () => {
  const purse = await Purse.open(managed.service, 1000);
  const path = `/organizations/${purse.organizationId}`;
  const owner = await managed.newPerson(purse.organizationId, "owner");
  const ask = (who: Identity, rest: string, body: object) => managed.ask(who, "POST", `${path}/${rest}`, { body });
  const { json: member } = await ask(owner, "members", { email: "kim@acme.test", role: "member" });
  const ofMember = { scope: "member", period: "day" } as const;
  await ask(managed.operator, "budgets", { ...ofMember, id: member.id, limit: 5 });
  assertDenied(await ask(owner, "budgets", { ...ofMember, id: "Kim@acme.test", limit: 6 }), /5 credits/);

  const KEY = { scope: "key", period: "month" } as const;
  await ask(managed.operator, "budgets", { ...KEY, id: purse.keyId, limit: 10 });
  await managed.ask({ token: purse.key }, "POST", "/me/budget-increases", { body: { ...KEY, amount: 3 } });
  const increases = (await managed.ask(owner, "GET", `${path}/budget-increases`)).json.data;
  const grant = `budget-increases/${increases[0].id}/grant`;
  assertDenied(await ask(owner, grant, { amount: 3 }), /10 credits/);
  const granted = await ask(managed.operator, grant, { amount: 3 });
  assert.deepEqual([granted.status, granted.json.raise.amount], [200, 3]);
  // An owner may end the raise of the operator, and not set another.
  const { until } = granted.json.raise;
  assertDenied(await ask(owner, "budgets/raise", { ...KEY, id: purse.keyId, amount: 4, until }), /10 credits/);
  assert.equal((await ask(owner, "budgets/raise", { ...KEY, id: purse.keyId, amount: 2, until })).json.raise.amount, 2);
});

test("two grants at once, and a raise beside the operator's lower limit, stay within the operator's limit", async () => {
  const purse = await Purse.open(managed.service, 1000);
  const path = `/organizations/${purse.organizationId}`;
  const owner = await managed.newProgram(purse.organizationId, "owner");
  const ask = (who: Identity, rest: string, body: object) => managed.ask(who, "POST", `${path}/${rest}`, { body });
  await ask(managed.operator, "budgets", { ...MONTH, limit: 10 });
  await ask(owner, "budgets", { ...MONTH, limit: 5 });
  const second = (await ask(owner, "keys", { name: "second" })).json.secret;
  for (const token of [purse.key, second]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await managed.ask({ token }, "POST", "/me/budget-increases", { body: { ...MONTH, amount: 5 } });
  }
  const increases: { id: string }[] = (await managed.ask(owner, "GET", `${path}/budget-increases`)).json.data;
  assert.equal(increases.length, 2);
  const grants = increases.map(({ id }) => ask(owner, `budget-increases/${id}/grant`, { amount: 5 }));
  const [granted, denied] = (await Promise.all(grants)).toSorted((one, other) => one.status - other.status);
  assert.ok(granted && denied);
  assert.deepEqual([granted.status, granted.json.limit, granted.json.raise.amount], [200, 5, 5]);
  assertDenied(denied, /this budget's limit to 10 credits/);

  const { until } = granted.json.raise;
  await ask(owner, "budgets/raise", { ...MONTH, amount: 0, until: 0 });
  const [raised] = await Promise.all([
    ask(owner, "budgets/raise", { ...MONTH, amount: 5, until }),
    ask(managed.operator, "budgets", { ...MONTH, limit: 6 }),
  ]);
  if (raised.status !== 200) assertDenied(raised, /this budget's limit to 6 credits/);
  const [budget] = (await managed.ask(owner, "GET", `${path}/budgets`)).json.data;
  assert.deepEqual([budget.limit, budget.ceiling, budget.raise?.amount], [5, 6, raised.status === 200 ? 1 : undefined]);
});

test("a policy: owners and admins allow less, deny more, and see both", async () => {
  const { operator, change, show, managers } = await openOrganization();
  const rules = { allow_models: ["test/small", "test/priced"], deny_models: ["test/small"], tool_calls_per_turn: 5 };
  assert.equal((await operator("policy", rules)).status, 200);
  for (const who of managers) {
    const set = (body: object) => change(who, "policy", body);
    assertDenied(await set({ allow_models: ["test/priced", "test/all"] }), /without test\/all/);
    assertDenied(await set({ allow_models: null }), /allow_models/);
    assertDenied(await set({ deny_models: [] }), /deny_models/);
    assertDenied(await set({ tool_calls_per_turn: 6 }), /tool_calls_per_turn to 5/);
    assertDenied(await set({ tool_calls_per_turn: null }), /tool_calls_per_turn to 5/);
    const own = { allow_models: ["test/priced"], deny_models: ["test/all"], tool_calls_per_turn: 2 };
    assert.equal((await set(own)).status, 200);
    const shown = await show(who);
    assert.deepEqual(shown.policy, { ...own, deny_models: ["test/small", "test/all"] });
    assert.deepEqual([shown.ceilings.policy, shown.own.policy], [rules, own]);
    // What they have set themselves, they remove.
    assert.equal((await set({ allow_models: null, deny_models: [], tool_calls_per_turn: null })).status, 200);
    assert.deepEqual((await show(who)).policy, rules);
  }
});

test("limits: the operator's are a ceiling, and where there is none, the service's", async () => {
  const { operator, change, show, managers } = await openOrganization();
  await operator("limits", { create_per_minute: 1000, open_streams: 3 });
  for (const who of managers) {
    const set = (body: object) => change(who, "limits", body);
    assertDenied(await set({ create_per_minute: 1001 }), /create_per_minute to 1000/);
    assertDenied(await set({ open_streams: null }), /open_streams to 3/);
    assertDenied(await set({ retrieve_per_minute: 601 }), /retrieve_per_minute to 600/);
    assert.equal((await set({ create_per_minute: 700, retrieve_per_minute: 50, open_streams: 0 })).status, 200);
    const { limits } = await show(who, "/limits");
    assert.deepEqual([limits.create_per_minute, limits.retrieve_per_minute, limits.open_streams], [700, 50, 0]);
    assert.equal((await set({ create_per_minute: null, retrieve_per_minute: null, open_streams: null })).status, 200);
    assert.equal((await show(who, "/limits")).limits.create_per_minute, 1000);
  }
});

test("a retention: an owner keeps histories for a shorter time than the operator lets them", async () => {
  const { operator, change, show, managers } = await openOrganization();
  assert.equal((await operator("retention", { days: 60 })).status, 200);
  for (const who of managers.slice(0, 2)) {
    assertDenied(await change(who, "retention", { days: 61 }), /days to 60/);
    assertDenied(await change(who, "retention", { days: null }), /days to 60/);
    assert.equal((await change(who, "retention", { days: 30 })).status, 200);
    const both = { days: 30, operator_days: 60, service_days: 90, effective_days: 30 };
    assert.deepEqual(await show(who, "/retention"), both);
    assert.equal((await change(who, "retention", { days: null })).json.effective_days, 60);
  }
});
