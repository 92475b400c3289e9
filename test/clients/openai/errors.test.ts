import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI, { BadRequestError, NotFoundError } from "openai";
import { onEveryProvider } from "./gateway.ts";
import { assertApiError } from "./assert-client-error.ts";

const BAD_INPUT = { class: BadRequestError, status: 400, code: "invalid_input", type: "invalid_request_error" };

const NOT_FOUND = { class: NotFoundError, status: 404, code: "resource_not_found", type: "not_found_error" };

const UNKNOWN_ID = "resp_000000000000000000000000";

onEveryProvider((given) => {
  const { model } = given;
  const unsaid = "x";

  const refusedBodies: [string, OpenAI.Responses.ResponseCreateParamsNonStreaming, string | undefined][] = [
    ["no model", { input: unsaid }, "model"],
    ["an unknown model", { model: "none/such", input: unsaid }, "model"],
    ["no input", { model }, "input"],
    ["a system message", { model, input: [{ role: "system", content: "x" }] }, "input"],
    ["an assistant message", { model, input: [{ role: "assistant", content: "x" }] }, "input"],
    ["an item reference on a first turn", { model, input: [{ type: "item_reference", id: "msg_1" }] }, "input"],
    [
      "an image",
      { model, input: [{ role: "user", content: [{ type: "input_image", detail: "auto", image_url: "http://x/y" }] }] },
      "input",
    ],
    ["too few max_output_tokens", { model, input: unsaid, max_output_tokens: 15 }, "max_output_tokens"],
    ["max_tool_calls of zero", { model, input: unsaid, max_tool_calls: 0 }, "max_tool_calls"],
    ["a temperature out of range", { model, input: unsaid, temperature: 3 }, "temperature"],
    ["top_logprobs", { model, input: unsaid, top_logprobs: 2 }, "top_logprobs"],
    ["background", { model, input: unsaid, background: true }, "background"],
    ["store: false", { model, input: unsaid, store: false }, "store"],
    ["reasoning", { model, input: unsaid, reasoning: { effort: "low" } }, "reasoning"],
    ["tool_choice naming no tool", { model, input: unsaid, tool_choice: "required" }, "tool_choice"],
    ["an unknown include", { model, input: unsaid, include: ["nonsense" as never] }, "include"],
    ["too long a safety_identifier", { model, input: unsaid, safety_identifier: "x".repeat(65) }, "safety_identifier"],
    ["too long a label", { model, input: unsaid, metadata: { long: "x".repeat(513) } }, "metadata"],
    [
      "previous_response_id beside conversation",
      { model, input: unsaid, previous_response_id: UNKNOWN_ID, conversation: "conv_1" },
      undefined,
    ],
    ["a malformed previous_response_id", { model, input: unsaid, previous_response_id: "1" }, "previous_response_id"],
  ];
  for (const [what, body, param] of refusedBodies) {
    test(`${what} is a BadRequestError`, async () => {
      const error = await given.client.responses.create(body).then(
        () => assert.fail("was not rejected"),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof BadRequestError);
      assert.equal(error.code, "invalid_input");
      if (param !== undefined) assert.equal(error.param, param);
      assert.match(error.requestID ?? "", /^req_/);
    });
  }

  test("an error before a stream throws before the stream begins", async () => {
    await assertApiError(given.client.responses.create({ model, input: "", stream: true }), {
      ...BAD_INPUT,
      param: "input",
    });
    await assertApiError(given.client.responses.stream({ model, input: "" }).finalResponse(), {
      ...BAD_INPUT,
      param: "input",
    });
  });

  test("a response larger than the window is a BadRequestError with a code of its own", async () => {
    await assertApiError(given.client.responses.create({ model, input: "x".repeat(5_000_000) }), {
      class: BadRequestError,
      status: 400,
      code: "context_length_exceeded",
      type: "invalid_request_error",
    });
  });

  test("a missing object, or one of another key, is a NotFoundError", async () => {
    const { responses, conversations } = given.client;
    const mine = await responses.create({ model, input: "mine" });
    const { secret } = await given.service.newKey();
    const other = given.connect({ apiKey: secret });
    const rejections = [
      () => responses.retrieve(UNKNOWN_ID),
      () => responses.retrieve("nonsense"),
      () => responses.cancel(UNKNOWN_ID),
      () => responses.delete(UNKNOWN_ID),
      () => responses.create({ input: "x", previous_response_id: UNKNOWN_ID }),
      () => responses.create({ model, input: "x", conversation: "conv_1" }),
      () => conversations.retrieve("conv_1"),
      () => conversations.items.list("conv_1"),
      () => conversations.items.retrieve("msg_1", { conversation_id: "conv_1" }),
      () => other.responses.retrieve(mine.id),
      () => other.responses.cancel(mine.id),
      () => other.responses.create({ input: "x", previous_response_id: mine.id }),
    ];
    const messages = new Set<string>();
    for (const ask of rejections) messages.add((await assertApiError(ask(), NOT_FOUND)).message);
    assert.equal(messages.size, 1);
  });

  test("a route that is not served is a NotFoundError", async () => {
    const { responses, chat, embeddings } = given.client;
    const { id } = await responses.create({ model, input: "x" });
    await assertApiError(responses.inputItems.list(id), NOT_FOUND);
    await assertApiError(responses.compact({ model }), NOT_FOUND);
    await assertApiError(chat.completions.create({ model, messages: [{ role: "user", content: "x" }] }), NOT_FOUND);
    await assertApiError(embeddings.create({ model, input: "x" }), NOT_FOUND);
  });

  test("a stream can't be resumed: the error names the query parameter", async () => {
    const { id } = await given.client.responses.create({ model, input: "x" });
    await assertApiError(given.client.responses.retrieve(id, { stream: true }), { ...BAD_INPUT, param: "stream" });
  });

  test("the models of the catalog are listed", async () => {
    const ids: string[] = [];
    for await (const { id } of given.client.models.list()) ids.push(id);
    assert.ok(ids.includes(model));
  });
});
