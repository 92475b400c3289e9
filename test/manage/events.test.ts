// The feed of events over the management interface: what it shows, to whom, page by page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { TESTS } from "../support/actor.ts";
import type { Loose } from "../support/http-client.ts";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { USAGE } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile({ models: PRICED_MODELS });

async function read(who: Identity, path: string): Promise<Loose> {
  const { status, json } = await managed.ask(who, "GET", path);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(Check(replyShape("listEvents"), json as unknown), true, JSON.stringify(json));
  return json;
}

const messagesOf = ({ data }: Loose) => (data as readonly { message: string }[]).map(({ message }) => message);

test("changes are sentences, newest first, without a secret; the operator sees those of every organization", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}`;
  const person = await managed.newMember(organizationId, "owner", "ada@events.test");
  const owner = await managed.signedIn(person);
  const key = (await managed.ask(owner, "POST", `${path}/keys`, { body: { name: "web app" } })).json;
  await managed.ask(owner, "POST", `${path}/budgets`, {
    body: { scope: "key", id: key.id, period: "month", limit: 2 },
  });
  const untilSeconds = Math.floor(managed.service.clock.nowMs() / 1000) + 86_400;
  const raise = { scope: "key", id: key.id, period: "month", amount: 1.5, until: untilSeconds };
  await managed.ask(owner, "POST", `${path}/budgets/raise`, { body: raise });
  await managed.ask(owner, "POST", `${path}/keys/${key.id}/rotate`, { body: { grace: "none" } });
  await managed.ask(owner, "POST", `${path}/keys/${key.id}/revoke`);
  for (const days of [30, null]) await managed.ask(owner, "POST", `${path}/retention`, { body: { days } });
  await managed.ask(managed.operator, "POST", `${path}/suspend`);

  const shown = await read(owner, `${path}/events`);
  const name = shown.data[0].organization_name;
  const day = new Date(untilSeconds * 1000).toISOString().slice(0, 16).replace("T", " ");
  const today = new Date((untilSeconds - 86_400) * 1000).toISOString().slice(0, 16).replace("T", " ");
  assert.deepEqual(messagesOf(shown), [
    `${name} was suspended: its requests are rejected.`,
    `The histories of ${name} are kept as long as the service keeps any.`,
    `The histories of ${name} are deleted 30 days after their last use.`,
    "The API key web app was revoked.",
    `The API key web app has a new secret; the old one is valid until ${today} UTC.`,
    `The monthly budget of the key web app is raised by 1.50 credits until ${day} UTC.`,
    "The monthly budget of the key web app was set to 2.00 credits.",
    "The API key web app was created.",
    "ada@events.test joined as owner.",
    `The organization ${name} was created.`,
  ]);
  assert.deepEqual(shown.data[3].actor, { kind: "member", id: person.id });
  assert.equal(shown.data[3].actor_name, "ada@events.test");
  assert.doesNotMatch(JSON.stringify(shown), /sk_|adm_|argon2/);

  const other = await managed.newOrganization();
  const all = await read(managed.operator, "/events?limit=2");
  assert.deepEqual([all.data[0].organization, all.data[1].organization, all.has_more], [other, organizationId, true]);
});

test("the event of a new token names its role", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}`;
  const owner = await managed.newPerson(organizationId, "owner");
  await managed.ask(owner, "POST", `${path}/tokens`, { body: { name: "deployment", role: "admin" } });
  await managed.ask(managed.operator, "POST", "/tokens", { body: { name: "platform" } });
  const newest = async (of: string) => messagesOf(await read(managed.operator, `${of}/events?limit=1`));
  assert.deepEqual(await newest(path), ["A management token was created: deployment, role admin."]);
  assert.deepEqual(await newest(""), ["A management token was created: platform, role operator."]);
});

test("a reader that goes on from the last id sees each event once", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}/events`;
  const admin = await managed.newPerson(organizationId, "admin");
  await managed.store.updateOrganization({ by: TESTS, organizationId, paymentMethod: true });
  const start = (await read(admin, `${path}?limit=1`)).data[0].id;
  for (const plan of [true, false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    await managed.store.updateOrganization({ by: TESTS, organizationId, plan });
  }
  const first = await read(admin, `${path}?after=${start}&limit=2`);
  assert.equal(first.has_more, true);
  const second = await read(admin, `${path}?after=${first.data[1].id}&limit=2`);
  assert.equal(second.has_more, false);
  const types = [...first.data, ...second.data].map(({ type }) => type);
  assert.deepEqual(types, ["plan.start", "plan.stop", "plan.start"]);
  const last = second.data[0].id;
  assert.deepEqual(await read(admin, `${path}?after=${last}`), { data: [], has_more: false });
  const older = await read(admin, `${path}?before=${last}&limit=1`);
  assert.deepEqual([older.data[0].id, older.has_more], [first.data[1].id, true]);
});

test("a response that spends most of a budget and of the credits makes two events, with the end at this pace", async () => {
  const purse = await Purse.open(managed.service, 110);
  const { organizationId } = purse;
  const owner = await managed.newPerson(organizationId, "owner");
  await purse.setBudget({ scope: "organization", id: null, period: "month" }, 110);
  const usage = {
    ...USAGE,
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 899,
    total_tokens: 900,
  };
  managed.service.provider.plays([
    [
      { type: "text", text: "x".repeat(3596) },
      { type: "usage", usage },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
  const { data } = await read(owner, `/organizations/${organizationId}/events?limit=2`);
  const [reached, low] = data as readonly Loose[];
  assert.equal(low?.type, "credits.low");
  assert.deepEqual(low?.data, { share: 20, credits: 20, topped_up: 110 });
  assert.equal(reached?.type, "budget.reached");
  assert.match(
    reached?.message,
    /^The monthly budget of .+ has reached 80 %: 90\.00 of 110\.00 credits\. At this pace it is used up at 2026-11-2\d /,
  );
});

test("the first turn that a budget rejects is an event, and those after it are none", async () => {
  const purse = await Purse.open(managed.service, 110);
  const { organizationId } = purse;
  await purse.setBudget({ scope: "organization", id: null, period: "month" }, 0);
  for (let index = 0; index < 3; index++) {
    assert.equal((await purse.create({ input: "Hi" })).json.error.code, "scope_budget_exceeded");
  }
  const find = async (): Promise<readonly Loose[]> => {
    const { data } = await read(managed.operator, `/organizations/${organizationId}/events?limit=10`);
    return data.filter(({ type }: Loose) => type === "budget.rejected");
  };
  await until("the event", async () => (await find()).length > 0);
  const [event, ...others] = await find();
  assert.deepEqual(others, []);
  assert.match(
    event?.["message"],
    /^The monthly budget of .+ leaves too little for a response, which was rejected or stopped: /,
  );
});

test("a wrong page is a 400 that names the parameter", async () => {
  const organizationId = await managed.newOrganization();
  for (const [query, param] of [
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["after=x", "after"],
    ["before=0", "before"],
    ["after=1&before=2", "after"],
    ["type=key.create", "type"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- a few requests
    const { status, json } = await managed.ask(
      managed.operator,
      "GET",
      `/organizations/${organizationId}/events?${query}`,
    );
    assert.deepEqual([status, json.error.param], [400, param], query);
  }
});
