// The log of turns over the management interface: what it shows, to whom, page by page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { fails, FINISHED, gate, says } from "../support/scripted-provider.ts";
import { testModel } from "../support/service-config.ts";
import { until } from "../support/until.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile({
  models: [
    testModel("test/free"),
    testModel("test/priced", { prices: { input: 1, cached_input: 0.1, cache_write: 2, output: 10 } }),
  ],
});
const { organizationId } = await managed.service.newOrganization();
const owner = await managed.newPerson(organizationId, "owner");
// A member with a key.
const person = await managed.newMember(organizationId, "member", "ada@acme.test");
const memberId = person.id;
const member = await managed.signedIn(person);
const mine = await newKey({ name: "of Ada", member: memberId });
const others = await newKey({ name: "of nobody" });

async function newKey(body: object) {
  const { json } = await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, { body });
  return { keyId: String(json.id), secret: String(json.secret) };
}

/** Runs a response; its response. */
async function run(key: { secret: string }, body: object = {}) {
  const { json } = await managed.service.create(
    { model: "test/free", input: "a secret", ...body },
    { key: key.secret },
  );
  await managed.service.clock.advance(1000);
  return json;
}

async function read(who: Identity, query = ""): Promise<Loose> {
  const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turns${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(Check(replyShape("listTurns"), json as unknown), true, JSON.stringify(json));
  return json;
}

async function show(who: Identity, id: string) {
  const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turns/${id}`);
  if (status === 200) assert.equal(Check(replyShape("showTurn"), json as unknown), true, JSON.stringify(json));
  return { status, json };
}

const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);

test("an owner sees every response, a member those of own keys, a program with that role none; no content", async () => {
  const first = await run(mine);
  const second = await run(others);
  managed.service.provider.plays([fails("provider_error", { status: 500, requestId: "req_bad" })]);
  const failed = await run(mine);
  assert.deepEqual(idsOf(await read(owner)), [failed.id, second.id, first.id]);
  assert.deepEqual(idsOf(await read(member)), [failed.id, first.id]);
  assert.deepEqual(idsOf(await read(member, `?member=${memberId}`)), [failed.id, first.id]);
  assert.deepEqual(idsOf(await read(member, `?key=${others.keyId}`)), []);
  assert.deepEqual(idsOf(await read(member, "?member=mem_other")), []);
  assert.deepEqual(idsOf(await read(await managed.newProgram(organizationId, "member"))), []);
  assert.deepEqual(idsOf(await read(await managed.newProgram(organizationId, "admin"))), idsOf(await read(owner)));

  for (const [who, id, status] of [
    [owner, second.id, 200],
    [member, first.id, 200],
    [member, second.id, 404],
    [await managed.newProgram(organizationId, "member"), first.id, 404],
    [owner, "resp_nowhere", 404],
  ] as const) {
    assert.equal((await show(who, id)).status, status);
  }
  const { failure, ...shown } = (await show(owner, failed.id)).json;
  // The message of this code is the gateway's own; the store leaves out those that may be a provider's.
  const { message: _, ...why } = failure;
  const texts = JSON.stringify([await read(owner), (await show(owner, first.id)).json, shown, why]);
  assert.ok(!texts.includes("secret") && !texts.includes("scripted provider_error"), "no content, no provider's words");
});

test("the summary is of the last hour: of every response for an owner, of those of own keys for a member", async () => {
  const summaryFor = async (who: Identity): Promise<Loose> => {
    const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turn-summary`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(Check(replyShape("showTurnSummary"), json as unknown), true, JSON.stringify(json));
    return json;
  };
  const failures = [{ code: "provider_error", turns: 1 }];
  const whole = await summaryFor(owner);
  assert.deepEqual([whole.turns, whole.turns_per_minute, whole.has_more, whole.failures], [3, 0.05, false, failures]);
  const own = await summaryFor(member);
  assert.deepEqual([own.turns, own.failures], [2, failures]);
  assert.equal((await summaryFor(await managed.newProgram(organizationId, "member"))).turns, 0);
  assert.deepEqual(idsOf(await read(owner, `?from=${whole.from}&to=${whole.to}`)).length, 3);
  for (const [to, turns] of [
    [whole.to - 1, 3],
    [whole.from - 1, 0],
  ] as const) {
    const { json } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-summary?to=${to}`);
    assert.deepEqual([json.turns, json.to], [turns, to + 1]);
  }
});

test("turns are counted by hour and model with the filters of the log; a member's are those of own keys", async () => {
  const countFor = async (who: Identity, query = ""): Promise<Loose> => {
    const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turn-counts${query}`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(Check(replyShape("countTurns"), json as unknown), true, JSON.stringify(json));
    return json.data.reduce((sum: number, { turns }: Loose) => sum + turns, 0);
  };
  assert.deepEqual([await countFor(owner), await countFor(owner, "?status=failed")], [3, 1]);
  assert.equal(await countFor(owner, "?failure_code=provider_error&status=completed"), 0);
  assert.equal(await countFor(member), 2);
  assert.equal(await countFor(member, `?member=none`), 0);
  assert.equal(await countFor(await managed.newProgram(organizationId, "member")), 0);
  const paged = await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-counts?limit=1`);
  assert.equal(paged.status, 400);
  const { json } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-counts`);
  const { from } = json.data.at(-1);
  const [first] = (await read(owner)).data;
  assert.equal(from, Math.floor(first.created_at / 3600) * 3600);
});

test("turns are added up by group with the filters of the log; a member's are those of own keys", async () => {
  const groupFor = async (who: Identity, query: string): Promise<Loose> => {
    const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turn-groups${query}`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(Check(replyShape("groupTurns"), json as unknown), true, JSON.stringify(json));
    return json;
  };
  const byKey = await groupFor(owner, "?by=key");
  assert.deepEqual(
    byKey.data.map(({ id, name, turns, failed }: Loose) => [id, name, turns, failed]),
    [
      [mine.keyId, "of Ada", 2, 1],
      [others.keyId, "of nobody", 1, 0],
    ],
  );
  const { data, none } = await groupFor(owner, "?by=member");
  assert.deepEqual([data.map(({ id, name }: Loose) => [id, name]), none.turns], [[[memberId, "ada@acme.test"]], 1]);
  assert.equal((await groupFor(owner, "?by=model&status=failed")).total.turns, 1);
  assert.deepEqual(
    (await groupFor(member, "?by=key")).data.map(({ id }: Loose) => id),
    [mine.keyId],
  );
  assert.equal((await groupFor(member, "?by=key&member=none")).total.turns, 0);
  const noResponses = await groupFor(await managed.newProgram(organizationId, "member"), "?by=key");
  assert.deepEqual([noResponses.data, noResponses.total.turns, noResponses.read_from], [[], 0, null]);
  for (const query of ["", "?by=day", "?by=key&by=model", "?by=key&limit=1", "?by=key&from=2&to=1"]) {
    const { status } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-groups${query}`);
    assert.equal(status, 400, query);
  }
});

test("a listed response and one response have the documented values", async () => {
  managed.service.provider.plays((call) => {
    call.onResponse?.({ status: 200, requestId: "req_good" });
    return says("Hi") as never;
  });
  const response = await run(mine, { model: "test/priced" });
  const { json } = await show(owner, response.id);
  const listed = {
    id: response.id,
    created_at: response.created_at,
    completed_at: response.completed_at,
    status: "completed",
    failure_code: null,
    model: "test/priced",
    key: mine.keyId,
    key_name: "of Ada",
    member: memberId,
    email: "ada@acme.test",
    conversation: null,
    request_id: json.request_id,
    end_user: null,
    label: null,
    input_tokens: 10,
    cached_tokens: 2,
    cache_write_tokens: 1,
    output_tokens: 5,
    reasoning_tokens: 1,
    credits: json.credits,
    first_output_ms: 0,
    duration_ms: 0,
  };
  assert.ok(json.credits > 0);
  assert.deepEqual((await read(owner)).data[0], listed);
  assert.deepEqual(json, {
    ...listed,
    previous_response_id: null,
    turn: response.id,
    queue_ms: 0,
    attempts: 1,
    target: null,
    target_started_ms: null,
    failed_attempts: [],
    provider_status: 200,
    provider_request_id: "req_good",
    incomplete_reason: null,
    tool_calls_dropped: 0,
    warnings: [],
    prices: json.prices,
    held: json.held,
    transfers: json.transfers,
    deleted_at: null,
    failure: null,
  });
  assert.deepEqual(
    json.transfers.map(({ kind, response: of }: Loose) => [kind, of]),
    ["hold", "settle", "release"].map((kind) => [kind, response.id]),
  );
  const ledger = async (query: string) =>
    (await managed.ask(owner, "GET", `/organizations/${organizationId}/ledger${query}`)).json;
  const newest = await ledger("?limit=2");
  assert.equal(Check(replyShape("listTransfers"), newest as unknown), true, JSON.stringify(newest));
  assert.deepEqual([newest.data, newest.has_more], [json.transfers.toReversed().slice(0, 2), true]);
  const { data: older } = await ledger(`?before=${newest.data[1].id}`);
  assert.deepEqual(older[0], json.transfers[0]);
  const topUps = await ledger("?kind=topup");
  assert.deepEqual([topUps.data, topUps.has_more], [[older.at(-1)], false]);
  assert.deepEqual([topUps.data[0].kind, topUps.data[0].response], ["topup", null]);
  const { total, data } = (await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-groups?by=model`))
    .json;
  const settled = json.transfers.find(({ kind }: Loose) => kind === "settle");
  assert.deepEqual([total.credits, data[0].id, data[0].credits], [settled.amount, "test/priced", settled.amount]);
  const logged = (await read(owner, "?limit=200")).data as readonly Loose[];
  for (const field of ["input_tokens", "output_tokens", "credits"]) {
    assert.equal(
      total[field],
      logged.reduce((sum, turn) => sum + turn[field], 0),
      field,
    );
  }
  const perCredit = json.prices.input;
  assert.deepEqual(json.prices, {
    input: perCredit,
    cached_input: perCredit / 10,
    cache_write: perCredit * 2,
    output: perCredit * 10,
    tiers: [],
  });
});

test("filters find responses, running ones too", async () => {
  const { opened, open } = gate();
  const called = managed.service.provider.calls.length;
  managed.service.provider.plays([opened, FINISHED]);
  const pending = run(others);
  await until("the call", () => managed.service.provider.calls.length > called);
  const running = await read(owner, "?status=in_progress");
  assert.equal(running.data.length, 1);
  assert.deepEqual([running.data[0].credits, running.data[0].duration_ms], [null, null]);
  open();
  const last = await pending;
  assert.deepEqual(idsOf(running), [last.id]);
  assert.deepEqual(idsOf(await read(owner, "?status=in_progress")), []);
  const [failed] = (await read(owner, "?failure_code=provider_error")).data;
  assert.deepEqual([failed.status, failed.failure_code], ["failed", "provider_error"]);
  const { failure } = (await show(owner, failed.id)).json;
  assert.deepEqual([failure.rule, failure.lifted_by.length], ["The model's provider failed.", 2]);
  const { json: response } = await managed.service.request("GET", `/v1/responses/${failed.id}`, { key: mine.secret });
  assert.deepEqual([typeof failure.message, failure.message], ["string", response.error.message]);
  assert.deepEqual(idsOf(await read(owner, `?key=${others.keyId}&status=failed`)), []);
  assert.equal(idsOf(await read(owner, "?model=test/priced")).length, 1);
  const at = last.created_at;
  assert.deepEqual(idsOf(await read(owner, `?from=${at}`)), [last.id]);
  assert.deepEqual(idsOf(await read(owner, `?from=${at}&to=${at}`)), []);
  const conversation = await managed.service.request("POST", "/v1/conversations", { key: mine.secret, body: {} });
  const talking = await run(mine, { conversation: conversation.json.id });
  const found = await read(owner, `?conversation=${conversation.json.id}`);
  assert.deepEqual([idsOf(found), found.data[0].conversation], [[talking.id], conversation.json.id]);
});

test("pages lead to older responses and back to newer ones, also to those that are new since", async () => {
  const all = idsOf(await read(owner));
  const pages: string[][] = [];
  let page = await read(owner, "?limit=2");
  const first = page;
  for (; page.older !== null; page = await read(owner, `?limit=2&before=${page.older}`)) {
    pages.push(idsOf(page));
    assert.equal(page.has_more, true);
  }
  pages.push(idsOf(page));
  assert.equal(page.has_more, false);
  assert.deepEqual(pages.flat(), all);
  const back = await read(owner, `?limit=2&after=${page.newer}`);
  assert.deepEqual([idsOf(back), back.has_more], [pages.at(-2), true]);
  const none = await read(owner, `?after=${first.newer}`);
  assert.deepEqual([none.data, none.has_more, none.newer], [[], false, first.newer]);
  const latest = await run(others);
  const now = await read(owner, `?after=${none.newer}`);
  assert.deepEqual([idsOf(now), now.has_more], [[latest.id], false]);
  assert.notEqual(now.newer, none.newer);
});
