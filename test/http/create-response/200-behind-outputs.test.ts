// POST /v1/responses: what stands behind tool outputs is new. @spec endpoints/post-responses (Tool loop); docs/wire.md
// (Waiting calls)
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Loose } from "../../support/http-client.ts";
import { serviceForFile } from "../../support/service.ts";
import { output, waitingOn } from "./tool-loop.ts";

const service = await serviceForFile();

const waiting = waitingOn(service);

test("a user's message behind the outputs is new: it is sent, stored, listed and counted", async () => {
  const conversation = (await service.request("POST", "/v1/conversations")).json.id;
  await waiting(["a"], { conversation });
  const input = [
    { role: "user", content: "Look it up" },
    { type: "function_call", call_id: "a", name: "look_up", arguments: "{}" },
    output("a"),
    { role: "user", content: "Be quick" },
    { role: "user", content: [{ type: "input_text", text: "please" }] },
  ];
  const reply = await service.create({ conversation, input });
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.json["svc:warnings"][0].message, /^2 input items /);
  const items = service.provider.calls.at(-1)?.prompt.items.slice(-2);
  assert.deepEqual(
    items?.map((item) => ("text" in item ? item.text : item.type)),
    ["result", "Be quick\n\nplease"],
  );
  const list = await service.request("GET", `/v1/conversations/${conversation}/items`);
  assert.deepEqual(
    list.json.data.map(({ type, role }: Loose) => role ?? type),
    ["user", "function_call", "function_call_output", "user", "assistant"],
  );
  const made = await waiting(["b"], { model: "test/small", max_output_tokens: 100 });
  const body = { model: "test/small", max_output_tokens: 100, previous_response_id: made.json.id };
  const long = (length: number) => [output("b"), { role: "user", content: "x".repeat(length) }];
  // The whole window, without "Look it up", the call and the output.
  const most = 885 * 4 - 10 - 9 - 5;
  assertApiError(await service.create({ ...body, input: long(most + 1) }), {
    status: 400,
    code: "context_length_exceeded",
  });
  assert.equal((await service.create({ ...body, input: long(most) })).status, 200);
});

test("another message behind the outputs is a 400 that says how to send it", async () => {
  const made = await waiting(["a"]);
  const previous = { previous_response_id: made.json.id };
  for (const [item, says] of [
    [{ role: "system", content: "Hush" }, /input\[1\] \(message\): send a system message as instructions/],
    [{ role: "assistant", content: "Hm" }, /input\[1\] \(message\): assistant messages are kept/],
    [{ role: "user", content: [{ type: "input_image", image_url: "x" }] }, /input\[1\] .*input_image/],
    ["text", /input\[1\] must be an item object/],
  ] as const) {
    const reply = await service.create({ ...previous, input: [output("a"), item] });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "input" });
    assert.match(reply.json.error.message, says);
  }
  const between = [output("a"), { role: "user", content: "" }];
  assert.equal((await service.create({ ...previous, input: between })).status, 200);
});
