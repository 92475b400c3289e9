// Responses with calls that run side by side, or branch off from one another.
// @spec endpoints/post-responses (Tool loop)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { output, waitingOn } from "./tool-loop.ts";

const service = await serviceForFile();

const waiting = waitingOn(service);

test("a second request with outputs for answered calls branches off and does not affect the first", async () => {
  const first = await waiting(["a"]);
  const one = await service.create({ input: [output("a", "one")], previous_response_id: first.json.id });
  const other = await service.create({ input: [output("a", "other")], previous_response_id: first.json.id });
  assert.deepEqual([one.status, other.status], [200, 200]);
  for (const [reply, result] of [
    [one, "one"],
    [other, "other"],
  ] as const) {
    const next = await service.create({ input: "More", previous_response_id: reply.json.id });
    assert.equal(next.status, 200, next.text);
    const results = service.provider.calls.at(-1)?.prompt.items.filter(({ type }) => type === "result") as Loose[];
    assert.deepEqual(
      results.map((item) => item.output),
      [result],
    );
  }
});

describe("two concurrent turns of a conversation", () => {
  /** A conversation in which a turn that waits for a call ended before one that says "There". */
  async function sideBySide() {
    const conversation = (await service.request("POST", "/v1/conversations")).json.id;
    const open = service.provider.playsLater("There");
    const asked = service.provider.calls.length;
    const pending = service.create({ conversation, input: "Where?" });
    await until("the call", () => service.provider.calls.length > asked);
    const first = await waiting(["a"], { conversation });
    open();
    return { conversation, first, second: await pending };
  }
  const prompted = () => service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text ?? item.type);

  test("the calls that a turn continues come last in the prompt, and stay there in later responses", async () => {
    const { conversation } = await sideBySide();
    const reply = await service.create({ conversation, input: [output("a")] });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(prompted(), ["Look it up", "Where?", "There", "call", "result"]);
    await service.create({ conversation, input: "More" });
    assert.deepEqual(prompted(), ["Look it up", "Where?", "There", "call", "result", "ok", "More"]);
  });

  test("naming the latest response is naming the conversation: the other response's calls wait, and can be answered that way", async () => {
    const { conversation, first, second } = await sideBySide();
    const latest = { previous_response_id: second.json.id };
    const message = new RegExp(`a\\. .*${first.json.id}`);
    for (const route of [latest, { conversation }]) {
      const rejected = await service.create({ ...route, input: "More" });
      assertApiError(rejected, { status: 400, code: "invalid_input", param: "input", message });
    }
    const reply = await service.create({ ...latest, input: [output("a")] });
    assert.deepEqual([reply.status, reply.json.previous_response_id], [200, null], reply.text);
    assert.equal((await service.create({ conversation, input: "More" })).status, 200);
  });

  const listed = async (conversation: string) =>
    (await service.request("GET", `/v1/conversations/${conversation}/items`)).json.data.map(
      (item: Loose) => item.content?.[0].text ?? item.type,
    );
  const LISTED = ["Look it up", "function_call", "Where?", "There", "function_call_output", "ok"];

  test("outputs that name the waiting response itself join its conversation", async () => {
    const { conversation, first } = await sideBySide();
    const reply = await service.create({ previous_response_id: first.json.id, input: [output("a")] });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await listed(conversation), LISTED);
    const next = await service.create({ conversation, input: "More" });
    assert.equal(next.status, 200, next.text);
  });

  test("also when the other response ends meanwhile", async () => {
    const conversation = (await service.request("POST", "/v1/conversations")).json.id;
    const [other, answering] = [gate(), gate()];
    service.provider.plays([other.opened, ...says("There")]);
    const asked = service.provider.calls.length;
    const pending = service.create({ conversation, input: "Where?" });
    await until("the call", () => service.provider.calls.length > asked);
    const first = await waiting(["a"], { conversation });
    service.provider.plays([answering.opened, ...says("ok")]);
    const reply = service.create({ previous_response_id: first.json.id, input: [output("a")] });
    await until("the answer", () => service.provider.calls.length > asked + 2);
    other.open();
    await pending;
    answering.open();
    assert.equal((await reply).status, 200);
    assert.deepEqual(await listed(conversation), LISTED);
    const next = await service.create({ conversation, input: "More" });
    assert.equal(next.status, 200, next.text);
  });

  test("an earlier response is continued without the other response's calls", async () => {
    const { conversation, second } = await sideBySide();
    await service.create({ conversation, input: [output("a")] });
    const branch = await service.create({ previous_response_id: second.json.id, input: "And?" });
    assert.equal(branch.status, 200, branch.text);
    assert.deepEqual(prompted(), ["Look it up", "Where?", "There", "And?"]);
  });
});
