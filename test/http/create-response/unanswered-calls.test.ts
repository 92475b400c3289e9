// POST /v1/responses: which calls keep a user turn waiting, and how it drops them. @spec states-and-transitions
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { type Act, calls, fails, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { TESTS } from "../../support/actor.ts";

const service = await serviceForFile();

const DROP = { "svc:unanswered_calls": "drop" };
const TOOLS = [{ type: "function", name: "look_up" }];
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "found" });
const rejection = (message: RegExp) => ({ status: 400, code: "invalid_input", param: "input", message });
const sent = () => service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text ?? item.type);
const newConversation = async (): Promise<string> => (await service.request("POST", "/v1/conversations")).json.id;
const made = (callId: string) => calls({ callId });

interface Waiting {
  readonly conversation: string;
  readonly maker: string;
}

async function waiting(): Promise<Waiting> {
  const conversation = await newConversation();
  service.provider.plays(made("a"));
  const { json } = await service.create({ conversation, input: "Look", tools: TOOLS });
  return { conversation, maker: json.id };
}

describe("a response that was cut short requires no outputs", () => {
  async function cutShort(how: "cancelled" | "incomplete"): Promise<Waiting> {
    const conversation = await newConversation();
    const [call] = made("a") as [Act];
    if (how === "incomplete") {
      service.provider.plays([call, [{ type: "finished", incompleteReason: "max_output_tokens" }]]);
      const { json } = await service.create({ conversation, input: "Look", tools: TOOLS });
      assert.equal(json.status, "incomplete");
      return { conversation, maker: json.id };
    }
    service.provider.plays([call, gate().opened]);
    const stream = await LiveStream.open(service, { conversation, input: "Look", tools: TOOLS });
    await stream.sees("response.output_item.done");
    const { json } = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
    assert.equal(json.status, "cancelled");
    return { conversation, maker: json.id };
  }

  for (const how of ["cancelled", "incomplete"] as const) {
    for (const route of ["conversation", "previous_response_id"] as const) {
      const named = ({ conversation, maker }: Waiting) => ({
        [route]: route === "conversation" ? conversation : maker,
      });

      test(`${how}: the next user message by ${route} is accepted, and the calls are left out of what is sent`, async () => {
        const place = await cutShort(how);
        const next = await service.create({ ...named(place), input: "Go on" });
        assert.equal(next.status, 200, next.text);
        assert.deepEqual(sent(), ["Look", "Go on"]);
        const late = await service.create({ conversation: place.conversation, input: [output("a")] });
        assertApiError(late, rejection(/no function call with call_id "a" is waiting/));
      });

      test(`${how}: outputs by ${route} are accepted instead`, async () => {
        const place = await cutShort(how);
        const reply = await service.create({ ...named(place), input: [output("a")] });
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(sent(), ["Look", "call", "result"]);
      });
    }
  }
});

describe("svc:unanswered_calls drop", () => {
  const items = async ({ conversation }: Waiting) => {
    const { json } = await service.request("GET", `/v1/conversations/${conversation}/items`);
    return json.data.map((item: Loose) => item.content?.[0].text ?? item.type);
  };

  for (const route of ["conversation", "previous_response_id"] as const) {
    test(`by ${route}: a user turn goes past calls that wait; they stay in the list and are left out of what is sent`, async () => {
      const place = await waiting();
      const named = { [route]: route === "conversation" ? place.conversation : place.maker };
      assertApiError(await service.create({ ...named, input: "Go on" }), rejection(/"svc:unanswered_calls": "drop"/));
      const next = await service.create({ ...named, ...DROP, input: "Go on" });
      assert.equal(next.status, 200, next.text);
      assert.equal("svc:unanswered_calls" in next.json, false);
      assert.deepEqual(sent(), ["Look", "Go on"]);
      assert.deepEqual(await items(place), ["Look", "function_call", "Go on", "ok"]);
      assert.equal((await service.create({ conversation: place.conversation, input: "More" })).status, 200);
      assert.deepEqual(sent(), ["Look", "Go on", "ok", "More"]);
    });
  }

  test("closed calls accept no output, by any route; nothing is stored", async () => {
    const before = await service.create({ input: "Hi" });
    service.provider.plays(made("a"));
    const maker = await service.create({ previous_response_id: before.json.id, input: "Look", tools: TOOLS });
    const next = await service.create({ previous_response_id: maker.json.id, ...DROP, input: "Go on" });
    const place = await waiting();
    const closer = await service.create({ conversation: place.conversation, ...DROP, input: "Go on" });
    const stored = await dumpTables(service);
    const closed = (by: string) => rejection(new RegExp(`"a" is closed: the response ${by} went on without`));
    for (const [named, by] of [
      [{ previous_response_id: maker.json.id }, next.json.id],
      [{ previous_response_id: before.json.id }, next.json.id],
      [{ previous_response_id: next.json.id }, next.json.id],
      [{ conversation: place.conversation }, closer.json.id],
      [{ previous_response_id: place.maker }, closer.json.id],
    ] as const) {
      assertApiError(await service.create({ ...named, input: [output("a")] }), closed(by));
      assertApiError(await service.create({ ...named, ...DROP, input: [output("a")] }), closed(by));
    }
    const path = `/v1/conversations/${place.conversation}/items`;
    const added = await service.request("POST", path, { body: { items: [output("a")] } });
    assertApiError(added, { ...closed(closer.json.id), param: "items" });
    assert.deepEqual(await dumpTables(service), stored);
    // A user turn continues from there without the field.
    const branch = await service.create({ previous_response_id: maker.json.id, input: "Else" });
    assert.equal(branch.status, 200, branch.text);
    assert.deepEqual(sent(), ["Hi", "ok", "Look", "Else"]);
  });

  test("they stay closed when the response that closed them is cancelled or deleted", async () => {
    for (const end of ["cancelled", "deleted"] as const) {
      const place = await waiting();
      service.provider.plays([gate().opened]);
      const stream = await LiveStream.open(service, { conversation: place.conversation, ...DROP, input: "Go on" });
      await stream.sees("response.in_progress");
      const path = `/v1/responses/${stream.id}`;
      await (end === "cancelled" ? service.request("POST", `${path}/cancel`) : service.request("DELETE", path));
      await stream.closed;
      // It may have been stopped before it was played.
      service.provider.forgets();
      const reply = await service.create({ conversation: place.conversation, input: [output("a")] });
      assertApiError(reply, rejection(/"a" is closed/));
      assert.equal((await service.create({ conversation: place.conversation, input: "More" })).status, 200);
    }
  });

  for (const code of ["provider_client_error", "provider_overloaded"] as const) {
    test(`a turn that is not stored (${code}) closes no call`, async () => {
      const place = await waiting();
      service.provider.plays([fails(code)]);
      await service.create({ conversation: place.conversation, ...DROP, input: "Go on" });
      const plain = await service.create({ conversation: place.conversation, input: "Go on" });
      assertApiError(plain, rejection(/waiting for their outputs: a\./));
      assert.equal((await service.create({ conversation: place.conversation, input: [output("a")] })).status, 200);
    });
  }

  test("while it runs the calls are closed: a plain user turn is accepted, an output is not", async () => {
    const place = await waiting();
    const open = service.provider.playsLater("done");
    const stream = await LiveStream.open(service, { conversation: place.conversation, ...DROP, input: "Go on" });
    await stream.sees("response.in_progress");
    const reply = await service.create({ conversation: place.conversation, input: [output("a")] });
    assertApiError(reply, rejection(new RegExp(`"a" is closed: the response ${stream.id}`)));
    assert.equal((await service.create({ conversation: place.conversation, input: "Beside" })).status, 200);
    open();
    await stream.closed;
  });

  test("has no effect on a response without waiting calls, nor on tool outputs", async () => {
    const first = await service.create({ ...DROP, input: "Hi" });
    const second = await service.create({ previous_response_id: first.json.id, ...DROP, input: "More" });
    assert.deepEqual([first.status, second.status], [200, 200]);
    const place = await waiting();
    assert.equal(
      (await service.create({ ...DROP, conversation: place.conversation, input: [output("a")] })).status,
      200,
    );
    assert.deepEqual(sent(), ["Look", "call", "result"]);
  });

  test("all waiting calls are dropped at once, also those of concurrent responses", async () => {
    const conversation = await newConversation();
    const { opened, open } = gate();
    service.provider.plays([opened, ...made("b")]);
    const beside = await LiveStream.open(service, { conversation, input: "Where?", tools: TOOLS });
    await beside.sees("response.in_progress");
    service.provider.plays(made("a"));
    await service.create({ conversation, input: "Look", tools: TOOLS });
    open();
    await beside.closed;
    assert.equal((await service.create({ conversation, ...DROP, input: "Go on" })).status, 200);
    assert.deepEqual(sent(), ["Look", "Where?", "Go on"]);
    for (const callId of ["a", "b"]) {
      assertApiError(await service.create({ conversation, input: [output(callId)] }), rejection(/is closed/));
    }
  });

  test("another value is an error naming the field; null means unset", async () => {
    for (const word of ["keep", "Drop", "", true, 1, {}, ["drop"]]) {
      const reply = await service.create({ input: "Hi", "svc:unanswered_calls": word });
      const message = /svc:unanswered_calls must be one of refuse, drop, not/;
      assertApiError(reply, { status: 400, code: "invalid_input", param: "svc:unanswered_calls", message });
    }
    assert.equal((await service.create({ input: "Hi", "svc:unanswered_calls": null })).status, 200);
  });

  test("a key may have it as its default; the request's value takes precedence", async () => {
    const { keyId } = service;
    const set = (unansweredCalls: "drop" | "refuse") => service.store.updateKey({ by: TESTS, keyId, unansweredCalls });
    const place = await waiting();
    const { conversation } = place;
    await set("drop");
    const rejected = await service.create({ conversation, input: "Go on", "svc:unanswered_calls": "refuse" });
    assertApiError(rejected, rejection(/waiting for their outputs/));
    assert.equal((await service.create({ conversation, input: "Go on" })).status, 200);
    await set("refuse");
    const other = await waiting();
    assertApiError(await service.create({ conversation: other.conversation, input: "Go on" }), rejection(/waiting/));
  });
});
