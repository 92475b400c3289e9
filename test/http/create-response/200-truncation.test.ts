// POST /v1/responses: fit to the context window, and truncation. @spec endpoints/truncation-behavior
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

/** Usable of test/small with max_output_tokens 100: 3,000 − 100 − 15 − 2,000 tokens. */
const USABLE_CHARACTERS = 885 * 4;
const SMALL = { model: "test/small", max_output_tokens: 100 };
const TOO_LONG = { status: 400, code: "context_length_exceeded" };

const sentTexts = () =>
  service.provider.calls.at(-1)?.prompt.items.map((item) => ("text" in item ? item.text : item.type)) ?? [];

test("a response of exactly the usable window fits; one character more is rejected with param null", async () => {
  const fits = await service.create({ ...SMALL, input: "x".repeat(USABLE_CHARACTERS) });
  assert.equal(fits.status, 200, fits.text);
  assertApiError(await service.create({ ...SMALL, input: "x".repeat(USABLE_CHARACTERS + 1) }), TOO_LONG);
});

test("the separators of joined messages count, as they will in the history", async () => {
  const letters = (count: number) => Array.from({ length: count }, () => ({ role: "user", content: "xx" }));
  assert.equal((await service.create({ ...SMALL, input: letters(USABLE_CHARACTERS / 4) })).status, 200);
  assertApiError(await service.create({ ...SMALL, input: letters(USABLE_CHARACTERS / 4 + 1) }), TOO_LONG);
});

test("instructions count, and characters are code points", async () => {
  const half = USABLE_CHARACTERS / 2;
  const fits = { ...SMALL, input: "👋".repeat(half), instructions: "👋".repeat(half) };
  assert.equal((await service.create(fits)).status, 200);
  assertApiError(await service.create({ ...fits, instructions: "👋".repeat(half + 1) }), TOO_LONG);
});

test("without max_output_tokens the model's default output is kept in reserve", async () => {
  const body = { model: "test/small", input: "x".repeat(USABLE_CHARACTERS) };
  assert.equal((await service.create(body)).status, 200);
  assertApiError(await service.create({ ...body, input: `${body.input}x` }), TOO_LONG);
});

/** A conversation of three responses of 1,002 characters each. */
async function longConversation(): Promise<string> {
  const { json } = await service.request("POST", "/v1/conversations");
  for (const letter of ["a", "b", "c"]) {
    const { status } = await service.create({ ...SMALL, conversation: json.id, input: letter.repeat(1000) });
    assert.equal(status, 200);
  }
  return json.id;
}

test("auto: of an imported history only the oldest exchanges are dropped, added or given at creation", async () => {
  const text = (letter: string) => letter.repeat(999);
  const exchange = (letter: string) => [
    { role: "user", content: text(letter) },
    { role: "assistant", content: "fine" },
  ];
  const items = ["a", "b", "c"].flatMap(exchange);
  const given = await service.request("POST", "/v1/conversations", { body: { items } });
  const added = await service.request("POST", "/v1/conversations");
  await service.request("POST", `/v1/conversations/${added.json.id}/items`, { body: { items } });
  for (const { json } of [given, added]) {
    const body = { ...SMALL, conversation: json.id, input: text("d"), truncation: "auto" };
    const reply = await service.create(body);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      sentTexts().map((sent) => sent.slice(0, 4)),
      ["bbbb", "fine", "cccc", "fine", "dddd"],
    );
    assert.match(reply.json["svc:warnings"][0].message, /^1 turn was dropped/);
  }
});

test("disabled: a call without an output takes no room, however long it is", async () => {
  const { json } = await service.request("POST", "/v1/conversations", {
    body: { items: [{ role: "user", content: "a" }] },
  });
  const call = { type: "function_call", call_id: "c", name: "f", arguments: JSON.stringify("x".repeat(1_200_000)) };
  await service.request("POST", `/v1/conversations/${json.id}/items`, { body: { items: [call] } });
  const reply = await service.create({ ...SMALL, conversation: json.id, input: "hi" });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(sentTexts(), ["a", "hi"]);
});

test("disabled: a history that leaves no room is an error, and nothing is stored", async () => {
  const conversation = await longConversation();
  const path = `/v1/conversations/${conversation}/items`;
  const before = await service.request("GET", path);
  for (const truncation of [{}, { truncation: "disabled" }]) {
    assertApiError(await service.create({ ...SMALL, conversation, input: "d".repeat(1000), ...truncation }), TOO_LONG);
  }
  assert.equal((await service.request("GET", path)).text, before.text);
});

test("auto: the oldest whole turns are dropped until a tenth more is free, with a warning", async () => {
  const conversation = await longConversation();
  const body = { ...SMALL, conversation, input: "d".repeat(1000), truncation: "auto" };
  const reply = await service.create(body);
  assert.equal(reply.status, 200, reply.text);
  // 90 percent of 3,540 characters hold the new 1,000 and two responses of 1,002.
  assert.deepEqual(
    sentTexts().map((text) => text.slice(0, 2)),
    ["bb", "ok", "cc", "ok", "dd"],
  );
  assert.equal(reply.json.truncation, "auto");
  const [warning] = reply.json["svc:warnings"];
  assert.deepEqual([warning.code, warning.param], ["truncated", "truncation"]);
  assert.match(warning.message, /^1 turn was dropped/);
  const retrieved = await service.request("GET", `/v1/responses/${reply.json.id}`);
  assert.equal(retrieved.text, reply.text);
});

test("auto: a tenth more is freed, so that a response that would just fit is dropped too", async () => {
  const conversation = await longConversation();
  await service.create({ ...SMALL, conversation, input: "d".repeat(1400), truncation: "auto" });
  // 1,400 + 2,004 would fit 3,540, but not nine tenths of it.
  assert.deepEqual(
    sentTexts().map((text) => text.slice(0, 2)),
    ["cc", "ok", "dd"],
  );
});

test("auto: nothing is dropped and there is no warning while everything fits", async () => {
  const conversation = await longConversation();
  const reply = await service.create({ ...SMALL, conversation, input: "d".repeat(500), truncation: "auto" });
  assert.equal(sentTexts().length, 7);
  assert.equal("svc:warnings" in reply.json, false);
});

test("auto: the new response is never dropped; one that is too long by itself is rejected", async () => {
  const conversation = await longConversation();
  const whole = await service.create({
    ...SMALL,
    conversation,
    input: "d".repeat(USABLE_CHARACTERS),
    truncation: "auto",
  });
  assert.equal(whole.status, 200, whole.text);
  assert.equal(sentTexts().length, 1);
  assert.match(whole.json["svc:warnings"][0].message, /^3 turns were dropped/);
  const over = { ...SMALL, conversation, input: "d".repeat(USABLE_CHARACTERS + 1), truncation: "auto" };
  assertApiError(await service.create(over), TOO_LONG);
});

test("auto: tool outputs keep the response they belong to, and are rejected when too long with it", async () => {
  const conversation = await longConversation();
  service.provider.plays(calls({ callId: "a", args: JSON.stringify({ q: "q".repeat(500) }) }), says("Done"));
  const tools = [{ type: "function", name: "look_up" }];
  const base = { ...SMALL, conversation, truncation: "auto" };
  const first = await service.create({ ...base, input: "d".repeat(1000), tools });
  assert.equal(first.status, 200, first.text);
  const output = (length: number) => [{ type: "function_call_output", call_id: "a", output: "r".repeat(length) }];
  assertApiError(await service.create({ ...base, input: output(2_500) }), TOO_LONG);
  const reply = await service.create({ ...base, input: output(1_500) });
  assert.equal(reply.status, 200, reply.text);
  const types = service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type);
  assert.deepEqual(types, ["message", "call", "result"]);
});

test("auto: tool outputs whose calls lie beyond the window are rejected, never sent without them", async () => {
  const { json } = await service.request("POST", "/v1/conversations");
  service.provider.plays(calls({ callId: "a" }), says("Done"));
  const base = { ...SMALL, conversation: json.id, truncation: "auto" };
  const first = await service.create({ ...base, input: "d", tools: [{ type: "function", name: "look_up" }] });
  assert.equal(first.status, 200, first.text);
  // Added while the calls wait, and longer than the window: nothing of the calls' response is read.
  const items = ["e", "f", "g"].map((letter) => ({ role: "assistant", content: letter.repeat(USABLE_CHARACTERS / 2) }));
  const added = await service.request("POST", `/v1/conversations/${json.id}/items`, { body: { items } });
  assert.equal(added.status, 200, added.text);
  const asked = service.provider.calls.length;
  const input = [{ type: "function_call_output", call_id: "a", output: "r" }];
  assertApiError(await service.create({ ...base, input }), TOO_LONG);
  assert.equal(service.provider.calls.length, asked);
  service.provider.forgets();
});

test("a deleted response stops counting", async () => {
  const first = await service.create({ ...SMALL, input: "a".repeat(1700) });
  const second = await service.create({ ...SMALL, input: "b".repeat(1700), previous_response_id: first.json.id });
  const third = { ...SMALL, input: "c".repeat(1000), previous_response_id: second.json.id };
  assertApiError(await service.create(third), TOO_LONG);
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  assert.equal((await service.create(third)).status, 200);
  assert.deepEqual(
    sentTexts().map((text: Loose) => text[0]),
    ["b", "o", "c"],
  );
});

test("auto: the rest of a response whose first response was deleted is not part of the response before", async () => {
  const conversation = (await service.request("POST", "/v1/conversations")).json.id;
  const base = { ...SMALL, conversation, truncation: "auto" };
  const output = (callId: string, length: number) => [
    { type: "function_call_output", call_id: callId, output: "r".repeat(length) },
  ];
  await service.create({ ...base, input: "a".repeat(2_500) });
  service.provider.plays(calls({ callId: "b" }), calls({ callId: "c" }));
  const first = await service.create({ ...base, input: "Look", tools: [{ type: "function", name: "look_up" }] });
  await service.create({ ...base, input: output("b", 300) });
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  const reply = await service.create({ ...base, input: output("c", 1_500) });
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.json["svc:warnings"][0].message, /^1 turn was dropped/);
});
