// POST /v1/responses: which turns truncation drops. @spec endpoints/truncation-behavior
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { createUsage } from "../../../src/contract/usage.ts";
import { type Act, calls, FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { output, TOOLS } from "./tool-loop.ts";

const service = await serviceForFile();

/** Usable of test/small with max_output_tokens 100: 3,000 − 100 − 15 − 2,000 tokens. */
const USABLE_CHARACTERS = 885 * 4;
const SMALL = { model: "test/small", max_output_tokens: 100, truncation: "auto", tools: TOOLS };
const TOO_LONG = { status: 400, code: "context_length_exceeded" };

/** What the last call of a model was sent, an item a word. */
const sent = () =>
  service.provider.calls
    .at(-1)
    ?.prompt.items.map((item) => ("text" in item ? item.text.slice(0, 4) : item.type === "state" ? "" : item.callId))
    .join(" ");

const conversationOf = async () => (await service.request("POST", "/v1/conversations")).json.id;

/** Three rounds of one turn, the third of which waits: TASK, and results of 700 and 700 characters. */
async function threeRounds(body: object): Promise<string[]> {
  service.provider.plays(...["a", "b", "c"].map((callId) => calls({ callId })));
  const first = await service.create({ ...SMALL, ...body, input: `TASK${"t".repeat(696)}` });
  const ids = [first.json.id];
  for (const callId of ["a", "b"]) {
    const route = "conversation" in body ? {} : { previous_response_id: ids.at(-1) };
    const reply = await service.create({ ...SMALL, ...body, ...route, input: [output(callId, "r".repeat(700))] });
    assert.equal(reply.status, 200, reply.text);
    ids.push(reply.json.id);
  }
  return ids;
}

test("auto: the response being continued is sent whole or not at all, however many rounds it has", async () => {
  // Two of its items, name and arguments each, are nine characters.
  const most = USABLE_CHARACTERS - 700 - 1400 - 27;
  for (const [length, fits] of [
    [most, true],
    [most + 1, false],
    [most + 700, false],
    [most + 1400, false],
    [most + 2000, false],
    [USABLE_CHARACTERS, false],
  ] as const) {
    const [, , latest] = await threeRounds({});
    const asked = service.provider.calls.length;
    const reply = await service.create({
      ...SMALL,
      previous_response_id: latest,
      input: [output("c", "r".repeat(length))],
    });
    if (!fits) {
      assertApiError(reply, TOO_LONG);
      assert.match(reply.json.error.message, /does not fit by itself|: send less/);
      assert.equal(service.provider.calls.length, asked, String(length));
      continue;
    }
    assert.equal(reply.status, 200, reply.text);
    assert.equal(sent(), "TASK a a b b c c");
  }
});

test("auto: without its deleted first response, the rest of the response being continued is still sent whole", async () => {
  for (const [length, status] of [
    [1900, 200],
    [3000, 400],
  ] as const) {
    const conversation = await conversationOf();
    await service.create({ ...SMALL, conversation, input: "o".repeat(1500) });
    const [first] = await threeRounds({ conversation });
    await service.request("DELETE", `/v1/responses/${first}`);
    const input = [output("c", "r".repeat(length))];
    const reply = await service.create({ ...SMALL, conversation, input });
    assert.equal(reply.status, status, reply.text);
    if (status === 200) assert.equal(sent(), "b b c c");
  }
});

test("auto: of responses that ran at once, none is sent in part", async () => {
  const conversation = await conversationOf();
  const { opened, open } = gate();
  service.provider.plays([opened, ...says("newer")], calls({ callId: "a" }));
  const concurrent = service.create({ ...SMALL, conversation, input: `MID ${"m".repeat(896)}` });
  while (sent() !== "MID ") await new Promise(setImmediate);
  await service.create({ ...SMALL, conversation, input: `OLD ${"o".repeat(1396)}` });
  open();
  await concurrent;
  service.provider.plays(says("done"));
  const done = await service.create({ ...SMALL, conversation, input: [output("a", "r".repeat(300))] });
  assert.equal(done.status, 200, done.text);
  assert.equal(sent(), "OLD  MID  newe a a");
  const reply = await service.create({ ...SMALL, conversation, input: `NEW ${"n".repeat(1496)}` });
  assert.equal(reply.status, 200, reply.text);
  // OLD is the older response, and its end lies behind MID.
  assert.equal(sent(), "MID  newe NEW ");
  assert.match(reply.json["svc:warnings"][0].message, /^1 turn was dropped/);
});

test("calls without an output, and outputs without their call, count nothing: no model is sent them", async () => {
  for (const truncation of ["auto", "disabled"]) {
    const conversation = await conversationOf();
    const base = { ...SMALL, conversation, truncation };
    service.provider.plays(calls({ callId: "a", args: JSON.stringify({ q: "q".repeat(3000) }) }));
    await service.create({ ...base, input: "Look" });
    await service.create({ ...base, input: "No", "svc:unanswered_calls": "drop" });
    service.provider.plays(calls({ callId: "b" }));
    const made = await service.create({ ...base, input: "b" });
    await service.create({ ...base, input: [output("b", "r".repeat(300))] });
    await service.request("DELETE", `/v1/responses/${made.json.id}`);
    const reply = await service.create({ ...base, input: "d".repeat(3000) });
    assert.equal(reply.status, 200, `${truncation} ${reply.text}`);
    assert.equal(sent(), "Look No ok ok dddd");
    assert.equal("svc:warnings" in reply.json, false, reply.text);
  }
});

test("auto: a resent output is ignored however far back it was answered, also behind a branch", async () => {
  service.provider.plays(calls({ callId: "old" }));
  const asked = await service.create({ ...SMALL, input: "Look" });
  const answered = await service.create({ ...SMALL, previous_response_id: asked.json.id, input: [output("old")] });
  const branched = await service.create({ ...SMALL, previous_response_id: answered.json.id, input: "f".repeat(3000) });
  const other = await service.create({ ...SMALL, previous_response_id: answered.json.id, input: "f".repeat(3000) });
  for (const { json } of [branched, other]) {
    service.provider.plays(calls({ callId: "new" }));
    const waiting = await service.create({ ...SMALL, previous_response_id: json.id, input: "n".repeat(1500) });
    const base = { ...SMALL, previous_response_id: waiting.json.id };
    const reply = await service.create({ ...base, input: [output("old"), output("new")] });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(sent(), "nnnn new new");
    const codes = reply.json["svc:warnings"].map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ["input_items_ignored", "truncated"]);
  }
});

test("auto: a resent output that nothing has answered is 400, although most of the history is not read", async () => {
  service.provider.plays(calls({ callId: "old" }));
  const conversation = await conversationOf();
  const base = { ...SMALL, conversation };
  await service.create({ ...base, input: "Look" });
  const answered = await service.create({ ...base, input: [output("old")] });
  await service.create({ ...base, input: "f".repeat(3000) });
  service.provider.plays(calls({ callId: "new" }));
  await service.create({ ...base, input: "n".repeat(1500) });
  await service.request("DELETE", `/v1/responses/${answered.json.id}`);
  for (const callId of ["old", "none"]) {
    const reply = await service.create({ ...base, input: [output(callId), output("new")] });
    assertApiError(reply, { status: 400, param: "input", code: "invalid_input" });
    assert.match(reply.json.error.message, new RegExp(`no function call with call_id "${callId}" is waiting`));
  }
});

/** Says a word, of a prompt that the provider counts at so many tokens. */
const counted = (tokens: number) => [
  [{ type: "text", text: "ok" }] as const,
  [{ type: "usage", usage: createUsage({ input: tokens, output: 1 }) }, FINISHED[1]] as Act,
];

test("the provider's count of the round before corrects the estimate: auto drops responses before they are rejected", async () => {
  // The model takes 2,900 tokens beside its output of 100. By the estimate, all responses have 876.
  for (const [truncation, tokens, expected] of [
    ["auto", 2_000, "aaaa ok bbbb ok cccc"],
    ["auto", 2_600, "bbbb ok cccc"],
    ["disabled", 2_600, "aaaa ok bbbb ok cccc"],
  ] as const) {
    const base = { ...SMALL, conversation: await conversationOf(), truncation };
    service.provider.plays(counted(tokens / 2), counted(tokens));
    for (const letter of ["a", "b"]) await service.create({ ...base, input: letter.repeat(1_000) });
    const reply = await service.create({ ...base, input: "c".repeat(1_500) });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(sent(), expected, `${truncation} ${tokens}`);
  }
});
