import assert from "node:assert/strict";
import { test } from "node:test";
import { testWhere } from "../../support/test-where.ts";
import OpenAI, { APIError } from "openai";
import { bare, onEveryProvider, throughRetries, untilSettled } from "./gateway.ts";

/** The failures that a non-streaming create reports as an HTTP error. */
const HTTP_FAILURES: Readonly<Record<string, number>> = {
  provider_rate_limited: 429,
  provider_overloaded: 502,
  provider_unavailable: 502,
};

onEveryProvider((given) => {
  const { model, provider } = given;

  test("a refusal is a part of the message of a completed response", async () => {
    const { responses } = given.client;
    const final = await responses.stream({ model, input: "/say Well,\n/refuse I won't." }).finalResponse();
    assert.equal(final.status, "completed");
    const [message] = final.output;
    assert.ok(message?.type === "message");
    // Each family's own form, as in the specification.
    const [text, refusal] = {
      part: ["Well,", "I won't."],
      text: ["Well,I won't.", ""],
      none: ["Well,", ""],
    }[provider.has.refusalWords];
    assert.deepEqual(bare(message.content), [
      { type: "output_text", text, annotations: [], logprobs: [] },
      { type: "refusal", refusal },
    ]);
    assert.deepEqual(bare(final), bare(await responses.retrieve(final.id)));
  });

  test("a refusal without text is an empty part", async () => {
    const { responses } = given.client;
    const final = await responses.stream({ model, input: "/refuse" }).finalResponse();
    const [message] = final.output;
    assert.ok(message?.type === "message");
    assert.deepEqual(bare(message.content), [{ type: "refusal", refusal: "" }]);
    const created = await responses.create({ model, input: "/refuse" });
    assert.equal(created.status, "completed");
  });

  test("a response cut at max_output_tokens is incomplete", async () => {
    const { responses } = given.client;
    const body = { model, input: "/stream 500", max_output_tokens: 16 };
    const created = await responses.create(body);
    assert.equal(created.status, "incomplete");
    assert.deepEqual(created.incomplete_details, { reason: "max_output_tokens" });
    assert.equal(created.output_text.length, 64);
    const final = await responses.stream(body).finalResponse();
    assert.equal(final.status, "incomplete");
    assert.equal(final.output_text, created.output_text);
    const [message] = final.output;
    assert.ok(message?.type === "message");
    assert.equal(message.status, "incomplete");
    assert.deepEqual(bare(final), bare(await responses.retrieve(final.id)));
    // It can be continued: its text is history.
    const next = await responses.create({ input: "/history", previous_response_id: final.id, max_output_tokens: 500 });
    assert.match(next.output_text, /2\. assistant: 1 2 3/);
  });

  testWhere(provider.has.callsInPieces, "a call cut at max_output_tokens is shown, and waits for nothing", async () => {
    const { responses } = given.client;
    const tools = [{ type: "function" as const, name: "look_up", parameters: null, strict: null }];
    const input = `/tool look_up {"text":"${"x".repeat(200)}"}`;
    const final = await responses.stream({ model, input, tools, max_output_tokens: 16 }).finalResponse();
    assert.equal(final.status, "incomplete");
    const [call] = final.output;
    assert.ok(call?.type === "function_call");
    assert.equal(call.status, "incomplete");
    const next = await responses.create({ input: "Go on", previous_response_id: final.id });
    assert.equal(next.output_text, "Go on");
  });

  testWhere(provider.has.contentFilter, "an answer ended by a content filter is incomplete", async () => {
    const created = await given.client.responses.create({ model, input: "x\n/incomplete content_filter" });
    assert.equal(created.status, "incomplete");
    assert.deepEqual(created.incomplete_details, { reason: "content_filter" });
  });

  for (const code of provider.has.failures) {
    test(`${code}: a stream ends with the failed response`, async () => {
      const { responses } = given.client;
      const stream = responses.stream({ model, input: `/fail ${code}` });
      const final = await throughRetries(given, stream.finalResponse());
      assert.equal(final.status, "failed");
      assert.equal(final.error?.code, code);
      assert.ok(final.usage);
      assert.deepEqual(bare(final), bare(await responses.retrieve(final.id)));
      await assert.rejects(responses.create({ input: "x", previous_response_id: final.id }), { status: 400 });
    });

    const status = HTTP_FAILURES[code];
    if (status === undefined) {
      test(`${code}: a create returns the failed response`, async () => {
        const created = await given.client.responses.create({ model, input: `/fail ${code}` });
        assert.equal(created.status, "failed");
        assert.equal(created.error?.code, code);
        assert.deepEqual(bare(await given.client.responses.retrieve(created.id)), bare(created));
      });
    } else {
      test(`${code}: a create is a ${status} and stores nothing`, async () => {
        const { conversations, responses } = given.client;
        const { id: conversation } = await conversations.create();
        const created = responses.create({ model, input: `/fail ${code}`, conversation });
        await assert.rejects(throughRetries(given, created), { status, code });
        assert.deepEqual((await conversations.items.list(conversation)).data, []);
      });
    }
  }

  for (const code of provider.has.lateFailures) {
    test(`${code} after the first output keeps it in the failed response`, async () => {
      const { conversations, responses } = given.client;
      const { id: conversation } = await conversations.create();
      const input = `/say The first words\n/wait 20\n/fail ${code}`;
      const final = await responses.stream({ model, input, conversation }).finalResponse();
      assert.equal(final.status, "failed");
      assert.equal(final.error?.code, code);
      assert.equal(final.output_text, "The first words");
      assert.deepEqual(bare(final), bare(await responses.retrieve(final.id)));
      assert.deepEqual((await conversations.items.list(conversation)).data, []);
    });
  }

  test("a running response is cancelled", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create();
    const stream = responses.stream({ model, input: "/say So far\n/hang", conversation });
    const id = await new Promise<string>((resolve) => {
      let created = "";
      stream.on("response.created", ({ response }) => {
        created = response.id;
      });
      stream.on("response.output_text.delta", ({ snapshot }) => {
        if (snapshot === "So far") resolve(created);
      });
    });
    assert.equal((await responses.retrieve(id)).status, "in_progress");
    assert.deepEqual((await responses.retrieve(id)).output, []);
    const cancelled = await responses.cancel(id);
    assert.equal(cancelled.status, "cancelled");
    assert.equal(cancelled.error, null);
    const [message] = cancelled.output;
    assert.ok(message?.type === "message" && message.status === "incomplete");
    assert.deepEqual(bare(message.content), [{ type: "output_text", text: "So far", annotations: [], logprobs: [] }]);
    // Its reader gets the event too.
    const final = await stream.finalResponse();
    assert.deepEqual(bare(final), bare(cancelled));
    assert.deepEqual(bare(await responses.retrieve(id)), bare(cancelled));
    // Cancelling again changes nothing, and the output is history.
    assert.deepEqual(bare(await responses.cancel(id)), bare(cancelled));
    const next = await responses.create({ model, input: "/history", conversation });
    assert.equal(next.output_text, "1. user: /say So far\\n/hang\n2. assistant: So far\n3. user: /history");
  });

  test("cancelling a finished response leaves it as it is", async () => {
    const created = await given.client.responses.create({ model, input: "done" });
    assert.deepEqual(bare(await given.client.responses.cancel(created.id)), bare(created));
  });

  test("deleting a running response stops it", async () => {
    const { responses } = given.client;
    const stream = await responses.create({ model, input: "/say x\n/hang", stream: true });
    let id = "";
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") await responses.delete(id);
    }
    await assert.rejects(responses.retrieve(id), OpenAI.NotFoundError);
    await responses.delete(id);
  });

  test("after 90 seconds a create returns the running response, to be polled", async () => {
    const { responses } = given.client;
    const { clock } = given.service;
    const timersBefore = clock.pending;
    const pending = responses.create({ model, input: "/wait 100\n/say late" });
    // The response's own deadline, and the end of the wait.
    while (clock.pending < timersBefore + 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(90_000);
    const running = await pending;
    assert.equal(running.status, "in_progress");
    assert.deepEqual(running.output, []);
    assert.equal(running.usage, undefined);
    const done = await untilSettled(given.client, running.id);
    assert.equal(done.status, "completed");
    assert.equal(done.output_text, "late");
  });

  test("after 300 seconds a stream ends with an error that names the response, which goes on", async () => {
    const { responses } = given.client;
    const stream = await responses.create({ model, input: "/say x\n/hang", stream: true });
    let id = "";
    const read = async () => {
      for await (const event of stream) {
        if (event.type === "response.created") id = event.response.id;
        if (event.type === "response.output_text.delta") await given.service.clock.advance(300_000);
      }
    };
    await assert.rejects(read(), (error) => {
      assert.ok(error instanceof APIError);
      assert.equal(error.code, "response_unresolved");
      assert.match(error.message, new RegExp(id));
      return true;
    });
    assert.equal((await responses.retrieve(id)).status, "in_progress");
    assert.equal((await responses.cancel(id)).status, "cancelled");
  });
});
