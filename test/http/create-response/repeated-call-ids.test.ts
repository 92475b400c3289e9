// POST /v1/responses: a result belongs to the call of the response that it answers, though providers and clients repeat
// call_ids.
// @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls, Added calls)
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Loose } from "../../support/http-client.ts";
import { type Act, calls, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { output, TOOLS } from "./tool-loop.ts";

const service = await serviceForFile();

const asksFor = (...cities: string[]) =>
  calls(...cities.map((city, at) => ({ callId: `call_${at}`, args: JSON.stringify({ city }) })));
const cut = (acts: readonly Act[]): readonly Act[] => [
  ...acts.slice(0, -1),
  [{ type: "finished", incompleteReason: "max_output_tokens" }],
];
const call = (callId: string, city: string) => ({
  type: "function_call",
  call_id: callId,
  name: "look_up",
  arguments: JSON.stringify({ city }),
});

const newConversation = async (): Promise<string> => (await service.request("POST", "/v1/conversations")).json.id;
const addItems = (conversation: string, ...items: object[]) =>
  service.request("POST", `/v1/conversations/${conversation}/items`, { body: { items } });

/** A response whose model plays this script. */
async function turn(body: object, script: readonly Act[]): Promise<Loose> {
  service.provider.plays(script);
  const { status, json, text } = await service.create({ tools: TOOLS, ...body });
  assert.equal(status, 200, text);
  return json;
}

/** The exchanges of the last prompt as "city: result", in their order; each call has an id of its own. */
function exchanges(): string[] {
  const items = service.provider.calls.at(-1)?.prompt.items ?? [];
  const results = new Map<string, string>();
  for (const item of items) if (item.type === "result") results.set(item.callId, item.output);
  const made = items.filter((item) => item.type === "call");
  assert.equal(new Set(made.map(({ callId }) => callId)).size, made.length);
  return made.map((one) => `${JSON.parse(one.arguments).city}: ${results.get(one.callId)}`);
}

/** The kinds and texts of the last prompt. */
const prompted = () =>
  (service.provider.calls.at(-1)?.prompt.items ?? []).map((item) => ("text" in item ? item.text : item.type));

test("after its call is deleted, a result is not sent for an earlier call with the same call_id", async () => {
  const conversation = await newConversation();
  await turn({ conversation, input: "Paris?" }, cut(asksFor("Paris")));
  const rome = await turn({ conversation, input: "Rome?" }, asksFor("Rome"));
  await turn({ conversation, input: [output("call_0", "warm")] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Rome: warm"]);
  await service.request("DELETE", `/v1/responses/${rome.id}`);
  await turn({ conversation, input: "And?" }, says("Fine"));
  assert.deepEqual(exchanges(), []);
});

/** Two responses at once in a conversation, whose models both make calls. */
async function sideBySide(
  conversation: string,
  cities: readonly string[],
  [other]: readonly [string],
  callId = "call_0",
) {
  const { opened, open } = gate();
  service.provider.plays([opened, ...asksFor(...cities)]);
  const asked = service.provider.calls.length;
  const pending = service.create({ conversation, input: "One", tools: TOOLS });
  await until("the call", () => service.provider.calls.length > asked);
  const asks = calls({ callId, args: JSON.stringify({ city: other }) });
  const second = await turn({ conversation, input: "Two" }, asks);
  open();
  const { json: first } = await pending;
  return { first, second };
}

for (const order of ["first", "second"] as const) {
  test(`calls of concurrent turns with the same call_id keep their own results, the ${order} answered first`, async () => {
    const conversation = await newConversation();
    const turns = await sideBySide(conversation, ["Paris"], ["Rome"]);
    const results = { first: output("call_0", "cold"), second: output("call_0", "warm") };
    const other = order === "first" ? "second" : "first";
    await turn({ previous_response_id: turns[order].id, input: [results[order]] }, says("Fine"));
    await turn({ previous_response_id: turns[other].id, input: [results[other]] }, says("Fine"));
    assert.deepEqual(exchanges().toSorted(), ["Paris: cold", "Rome: warm"]);
    await turn({ conversation, input: "And?" }, says("Fine"));
    assert.deepEqual(exchanges().toSorted(), ["Paris: cold", "Rome: warm"]);
  });
}

test("an exchange that a client adds with the call_id of a waiting call does not take its place", async () => {
  const conversation = await newConversation();
  await turn({ conversation, input: "Paris?" }, asksFor("Paris"));
  const added = await addItems(conversation, call("call_0", "Oslo"), output("call_0", "dark"));
  assert.equal(added.status, 200, added.text);
  await turn({ conversation, input: [output("call_0", "cold")] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Paris: cold", "Oslo: dark"]);
});

test("a call that a client adds without its output may not have the call_id of a call that waits", async () => {
  const conversation = await newConversation();
  await turn({ conversation, input: "Paris?" }, asksFor("Paris"));
  const message =
    /items\[0\] \(function_call\): call_id "call_0" is already used by another function_call, which has no/;
  const rejected = { status: 400, code: "invalid_input", param: "items", message };
  assertApiError(await addItems(conversation, call("call_0", "Oslo")), rejected);
  assert.equal((await addItems(conversation, output("call_0", "cold"), call("call_0", "Oslo"))).status, 200);
  assert.equal((await addItems(conversation, output("call_0", "dark"))).status, 200);
  await turn({ conversation, input: "And?" }, says("Fine"));
  assert.deepEqual(exchanges(), ["Paris: cold", "Oslo: dark"]);
});

test("several exchanges of one request may have one call_id, each with its own result", async () => {
  const pairs = ["Paris", "Rome"].flatMap((city) => [call("call_0", city), output("call_0", `of ${city}`)]);
  await turn({ input: [...pairs, { role: "user", content: "So?" }] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Paris: of Paris", "Rome: of Rome"]);
  const conversation = (await service.request("POST", "/v1/conversations", { body: { items: pairs } })).json.id;
  assert.equal((await addItems(conversation, ...pairs)).status, 200);
  await turn({ conversation, input: "So?" }, says("Fine"));
  assert.deepEqual(exchanges(), ["Paris: of Paris", "Rome: of Rome", "Paris: of Paris", "Rome: of Rome"]);
  const both = [call("call_0", "Paris"), call("call_0", "Rome"), output("call_0", "a"), output("call_0", "b")];
  const message = /\[1\] \(function_call\): call_id "call_0" is already used/;
  const rejected = { status: 400, code: "invalid_input", message };
  assertApiError(await addItems(conversation, ...both), { ...rejected, param: "items" });
  assertApiError(await service.create({ input: [...both, { role: "user", content: "So?" }] }), {
    ...rejected,
    param: "input",
  });
});

test("in a resent history the output that answers is the one behind the last call with its call_id", async () => {
  const first = await turn(
    { input: [call("call_0", "Rome"), output("call_0", "warm"), { role: "user", content: "Paris?" }] },
    asksFor("Paris"),
  );
  const resent = [
    call("call_0", "Rome"),
    output("call_0", "warm"),
    { role: "user", content: "Paris?" },
    call("call_0", "Paris"),
  ];
  await turn({ previous_response_id: first.id, input: [...resent, output("call_0", "cold")] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Rome: warm", "Paris: cold"]);
});

test("items added while a call waits keep their places behind it", async () => {
  const conversation = await newConversation();
  await turn({ conversation, input: "Paris?" }, [[{ type: "text", text: "Let me see." }], ...asksFor("Paris")]);
  await addItems(conversation, { role: "assistant", content: "One moment." }, { role: "user", content: "Thanks." });
  await turn({ conversation, input: [output("call_0", "cold")] }, says("Fine"));
  assert.deepEqual(prompted(), ["Paris?", "Let me see.", "call", "result", "One moment.", "Thanks."]);
});

const rejection = (message: RegExp) => ({ status: 400, code: "invalid_input", param: "input", message });
const DROP = { "svc:unanswered_calls": "drop" };

test("a late result of a dropped call is not taken for a later call with its call_id, if its response is named", async () => {
  const conversation = await newConversation();
  const paris = await turn({ conversation, input: "Paris?" }, asksFor("Paris"));
  const rome = await turn({ previous_response_id: paris.id, input: "Rome?", ...DROP }, asksFor("Rome"));
  const late = await service.create({ previous_response_id: paris.id, input: [output("call_0", "cold")] });
  assertApiError(late, rejection(new RegExp(`"call_0" is closed: the response ${rome.id} went on`)));
  await turn({ previous_response_id: rome.id, input: [output("call_0", "warm")] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Rome: warm"]);
});

test("a result of concurrent calls with the same call_id needs the response that made the call", async () => {
  const conversation = await newConversation();
  const { first, second } = await sideBySide(conversation, ["Paris"], ["Rome"]);
  const unclear = await service.create({ conversation, input: [output("call_0", "cold")] });
  const how = /call_id "call_0" of several responses wait.*previous_response_id, one of (resp_\w+), (resp_\w+)\.$/;
  assertApiError(unclear, rejection(how));
  const named = how.exec(unclear.json.error.message)?.slice(1) ?? [];
  assert.deepEqual(new Set(named), new Set([first.id, second.id]));
  const added = await addItems(conversation, output("call_0", "cold"));
  assertApiError(added, {
    ...rejection(/several function calls with call_id "call_0".*previous_response_id/),
    param: "items",
  });
});

test("of two responses that continued one response, a result needs the one that made the call", async () => {
  const before = await turn({ input: "Hello" }, says("Hello"));
  const paris = await turn({ previous_response_id: before.id, input: "Paris?" }, asksFor("Paris"));
  await turn({ previous_response_id: before.id, input: "Rome?" }, asksFor("Rome"));
  const unclear = await service.create({ previous_response_id: before.id, input: [output("call_0", "cold")] });
  assertApiError(unclear, rejection(/call_id "call_0" of several responses wait/));
  await turn({ previous_response_id: paris.id, input: [output("call_0", "cold")] }, says("Fine"));
  assert.deepEqual(exchanges(), ["Paris: cold"]);
});

test("a user turn while several responses wait is an error that names the calls of all", async () => {
  const conversation = await newConversation();
  const { first, second } = await sideBySide(conversation, ["Paris"], ["Rome"]);
  const message = new RegExp(`call_0 \\(of ${first.id}\\), call_0 \\(of ${second.id}\\)\\. .*delete the responses`);
  assertApiError(await service.create({ conversation, input: "And?" }), rejection(message));
});

for (const way of ["conversation", "previous_response_id"] as const) {
  test(`one request with ${way} answers the calls of two concurrent turns, once`, async () => {
    const conversation = await newConversation();
    const { first, second } = await sideBySide(conversation, ["Paris"], ["Rome"], "call_9");
    const named = way === "conversation" ? { conversation } : { previous_response_id: first.id };
    const answer = { ...named, input: [output("call_0", "cold"), output("call_9", "warm")] };
    const { opened, open } = gate();
    service.provider.plays([opened, ...says("Fine")]);
    const asked = service.provider.calls.length;
    const pending = service.create({ ...answer, stream: true });
    await until("the call", () => service.provider.calls.length > asked);
    assert.deepEqual(exchanges().toSorted(), ["Paris: cold", "Rome: warm"]);
    const twice = await service.create(answer);
    assertApiError(twice, rejection(/the response resp_\w+ is answering call_id "call_0"/));
    const ofSecond = { previous_response_id: second.id, input: [output("call_9", "hot")] };
    assertApiError(await service.create(ofSecond), rejection(/the response resp_\w+ is answering call_id "call_9"/));
    open();
    assert.equal((await pending).status, 200);
    await turn({ conversation, input: "And?" }, says("Fine"));
    assert.deepEqual(exchanges().toSorted(), ["Paris: cold", "Rome: warm"]);
    const late = await service.create({ ...answer, conversation, previous_response_id: undefined });
    assertApiError(late, rejection(/no function call with call_id "call_0" is waiting/));
  });
}

test("one request that answers two responses is deleted: the calls of both accept outputs again", async () => {
  const conversation = await newConversation();
  await sideBySide(conversation, ["Paris"], ["Rome"], "call_9");
  const input = [output("call_0", "cold"), output("call_9", "warm")];
  const both = await turn({ conversation, input }, says("Fine"));
  await service.request("DELETE", `/v1/responses/${both.id}`);
  await turn({ conversation, input: [output("call_0", "mild"), output("call_9", "hot")] }, says("Fine"));
  assert.deepEqual(exchanges().toSorted(), ["Paris: mild", "Rome: hot"]);
});

test("outputs for only some calls of one of two responses are an error that names the missing ones", async () => {
  const conversation = await newConversation();
  await sideBySide(conversation, ["Paris", "Oslo"], ["Rome"], "call_9");
  const some = await service.create({ conversation, input: [output("call_1", "dark"), output("call_9", "warm")] });
  assertApiError(some, rejection(/missing: call_0/));
});
