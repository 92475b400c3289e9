import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI, { ConflictError } from "openai";
import { PROVIDERS } from "../providers.ts";
import { bare, onEveryProvider, withGateway } from "./gateway.ts";

onEveryProvider((given) => {
  const { model, provider } = given;
  const tools = [{ type: "function" as const, name: "look_up", parameters: null, strict: null }];

  /** The ending of a response, by its input. */
  const endings: Readonly<Record<string, string>> = {
    "a text": "/say Grüße 👋 and more",
    "no text": "/say",
    "text and calls": '/say Hm.\n/tool look_up {"a":"ä"}\n/tool look_up {}',
    reasoning: "/reason Let me think\nx",
    "a refusal": "/say No:\n/refuse Never",
    "an empty refusal": "/refuse",
    "an early end": "some words\n/incomplete max_output_tokens",
    "a failure": "/fail provider_client_error",
    "a late failure": "/say some\n/wait 20\n/fail provider_overloaded",
  };
  for (const [ending, input] of Object.entries(endings)) {
    test(`a stream that ended in ${ending} is replayed to the strict reader by its key`, async () => {
      const { responses } = given.client;
      const options = { idempotencyKey: `${provider.name} ${ending}` };
      const first = await responses.stream({ model, input, tools }, options).finalResponse();
      const again = await responses.stream({ model, input, tools }, options).finalResponse();
      assert.deepEqual(bare(again), bare(first));
      assert.deepEqual(bare(await responses.retrieve(first.id)), bare(first));
    });
  }

  test("a cancelled stream is replayed by its key", async () => {
    const { responses } = given.client;
    const options = { idempotencyKey: `${provider.name} cancelled` };
    const body = { model, input: "/say some\n/hang" };
    const stream = responses.stream(body, options);
    let id = "";
    stream.on("response.created", ({ response }) => {
      id = response.id;
    });
    stream.on("response.output_text.delta", () => void responses.cancel(id));
    const first = await stream.finalResponse();
    assert.equal(first.status, "cancelled");
    assert.deepEqual(bare(await responses.stream(body, options).finalResponse()), bare(first));
  });

  test("a key whose stream is still running is a ConflictError", async () => {
    const { responses } = given.client;
    const options = { idempotencyKey: `${provider.name} running` };
    const body = { model, input: "/say some\n/hang", stream: true } as const;
    for await (const event of await responses.create(body, options)) {
      if (event.type !== "response.output_text.delta" && event.type !== "response.created") continue;
      if (event.type === "response.created") {
        await assert.rejects(responses.create(body, options), (error) => {
          assert.ok(error instanceof ConflictError);
          assert.equal(error.code, "idempotency_in_progress");
          assert.equal(error.headers?.get("x-should-retry"), "true");
          return true;
        });
        await responses.cancel(event.response.id);
      }
    }
  });

  test("items are accepted in the shape that the service gave them", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create();
    const asked = await responses.create({ model, input: endings["text and calls"] ?? "", tools, conversation });
    const outputs = asked.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "found" }]
        : [],
    );
    await responses.create({ model, conversation, input: outputs });
    const { data } = await conversations.items.list(conversation);
    const { id: copy } = await conversations.create();
    await conversations.items.create(copy, { items: data as OpenAI.Responses.ResponseInputItem[] });
    const copied = await conversations.items.list(copy);
    const withoutIds = (items: typeof data) => bare(items.map((item) => ({ ...item, id: "" })));
    assert.deepEqual(withoutIds(copied.data), withoutIds(data));
    assert.equal(new Set([...data, ...copied.data].map(({ id }) => id)).size, data.length * 2);
  });

  test("headers contain the request id and the remaining allowance", async () => {
    const { data, response, request_id } = await given.client.responses.create({ model, input: "x" }).withResponse();
    assert.equal(data.status, "completed");
    assert.equal(response.headers.get("x-request-id"), request_id);
    for (const name of ["limit", "remaining", "reset"]) {
      assert.ok(response.headers.has(`x-ratelimit-${name}-requests`), name);
    }
  });

  test("a reader that aborts leaves the response running", async () => {
    const stream = given.client.responses.stream({ model, input: "/stream 20 3" });
    const id = await new Promise<string>((resolve) => {
      stream.on("response.created", ({ response }) => resolve(response.id));
    });
    const aborted = assert.rejects(stream.done(), OpenAI.APIUserAbortError);
    stream.abort();
    await aborted;
    for (;;) {
      const { status } = await given.client.responses.retrieve(id);
      if (status === "completed") return;
      assert.equal(status, "in_progress");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
});

describe("one response at a time", () => {
  const [anyProvider] = PROVIDERS;
  if (anyProvider === undefined) throw new Error("there is no provider");
  const limits = { concurrent_turns: 1, queued_turns: 1 };
  withGateway(
    anyProvider,
    (given) => {
      test("a queued response streams from its queue on, and one more is an error", async () => {
        const { responses } = given.client;
        const { model } = given;
        const running = responses.stream({ model, input: "/say first\n/hang" });
        const firstId = await new Promise<string>((resolve) => {
          running.on("response.created", ({ response }) => resolve(response.id));
        });
        const types: string[] = [];
        const queued = responses.stream({ model, input: "second" });
        queued.on("event", ({ type }) => types.push(type));
        const status = await new Promise((resolve) => {
          queued.on("response.queued", ({ response }) => resolve(response.status));
        });
        assert.equal(status, "queued");
        await assert.rejects(responses.create({ model, input: "third" }), { status: 503, code: "gateway_overloaded" });
        await responses.cancel(firstId);
        assert.equal((await queued.finalResponse()).output_text, "second");
        assert.deepEqual(types.slice(0, 4), [
          "response.created",
          "response.queued",
          "response.in_progress",
          "response.output_item.added",
        ]);
        assert.equal((await running.finalResponse()).status, "cancelled");
      });
    },
    { limits },
  );
});
