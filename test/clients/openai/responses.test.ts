import assert from "node:assert/strict";
import { test } from "node:test";
import { testWhere } from "../../support/test-where.ts";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { bare, onEveryProvider, untilSettled } from "./gateway.ts";

onEveryProvider((given) => {
  const { model } = given;

  test("a response is created and retrieved", async () => {
    const created = await given.client.responses.create({
      model,
      input: "Good day",
      metadata: { ticket: "42" },
      safety_identifier: "user-1",
      max_output_tokens: 100,
    });
    assert.equal(created.status, "completed");
    assert.equal(created.output_text, "Good day");
    assert.equal(created.model, model);
    assert.deepEqual(created.metadata, { ticket: "42" });
    assert.equal(created.max_output_tokens, 100);
    assert.ok((created.usage?.output_tokens ?? 0) > 0);
    assert.match(String(Reflect.get(created, "_request_id")), /^req_/);
    assert.deepEqual(bare(await given.client.responses.retrieve(created.id)), bare(created));
  });

  test("messages without a type are read as messages", async () => {
    const { output_text } = await given.client.responses.create({
      model,
      input: [
        { role: "user", content: "one" },
        { role: "user", content: [{ type: "input_text", text: "two" }] },
      ],
    });
    assert.equal(output_text, "one\n\ntwo");
  });

  test("a later response sees the earlier ones, but not their instructions", async () => {
    const { responses } = given.client;
    const first = await responses.create({ model, input: "My name is Ada", instructions: "Be brief" });
    const second = await responses.create({ previous_response_id: first.id, input: "/history" });
    assert.equal(second.previous_response_id, first.id);
    assert.equal(second.output_text, "1. user: My name is Ada\n2. assistant: My name is Ada\n3. user: /history");
    assert.equal(second.instructions, null);
  });

  test("the stream helper ends with what a retrieve gives", async () => {
    const stream = given.client.responses.stream({ model, input: "/say some words in a stream\n/say and some more" });
    const deltas: string[] = [];
    stream.on("response.output_text.delta", ({ delta }) => deltas.push(delta));
    const final = await stream.finalResponse();
    assert.equal(final.status, "completed");
    assert.equal(deltas.join(""), "some words in a streamand some more");
    assert.equal(final.output_text, deltas.join(""));
    assert.deepEqual(bare(final), bare(await given.client.responses.retrieve(final.id)));
  });

  test("the events of a text come in their order, numbered, deltas padded", async () => {
    const events = await collect(await given.client.responses.create({ model, input: "a b", stream: true }));
    assert.deepEqual(
      events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]),
      [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ],
    );
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    );
    for (const event of events) {
      if (event.type !== "response.output_text.delta") continue;
      const { obfuscation } = event as unknown as { obfuscation: string };
      assert.equal((event.delta.length + obfuscation.length) % 16, 0);
      assert.notEqual(obfuscation, "");
    }
  });

  test("padding can be turned off", async () => {
    const stream = await given.client.responses.create({
      model,
      input: "a b",
      stream: true,
      stream_options: { include_obfuscation: false },
    });
    for (const event of await collect(stream)) assert.ok(!("obfuscation" in event));
  });

  test("streamed and not streamed, a response is the same", async () => {
    const input = '/say first\n/tool look_up {"q":1}';
    const whole = await given.client.responses.create({ model, input });
    const streamed = await given.client.responses.stream({ model, input }).finalResponse();
    const shape = (output: typeof whole.output) =>
      output.map((item) => (item.type === "function_call" ? [item.name, item.arguments] : item.type));
    assert.deepEqual(shape(streamed.output as typeof whole.output), shape(whole.output));
    assert.deepEqual(streamed.usage, whole.usage);
  });

  test("a long stream of many deltas arrives whole", async () => {
    const final = await given.client.responses.stream({ model, input: "/stream 3000" }).finalResponse();
    const expected = Array.from({ length: 3000 }, (_, index) => `${index + 1} `).join("");
    assert.equal(final.output_text, expected);
  });

  test("text in any script arrives whole, including Unicode's line ends", async () => {
    const text = 'Grüße, 漢字, مرحبا 👨‍👩‍👧‍👦 \u2028\u2029\u0085 "quoted" \\ \r\n\t end';
    const input = `/say ${JSON.stringify(text)}\n/tool f ${JSON.stringify({ text })}`;
    const final = await given.client.responses.stream({ model, input }).finalResponse();
    assert.equal(final.output_text, text);
    const call = final.output.at(-1);
    assert.ok(call?.type === "function_call");
    assert.deepEqual(JSON.parse(call.arguments), { text });
    assert.deepEqual(bare(final), bare(await given.client.responses.retrieve(final.id)));
  });

  test("a reader that disconnects during a stream changes nothing", async () => {
    const stream = await given.client.responses.create({ model, input: "/stream 40 2", stream: true });
    let id = "";
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") break;
    }
    const stored = await untilSettled(given.client, id);
    assert.equal(stored.status, "completed");
    assert.equal(stored.output_text, Array.from({ length: 40 }, (_, index) => `${index + 1} `).join(""));
  });

  testWhere(given.provider.has.reasoningItems, "reasoning is an item of its own", async () => {
    const stream = given.client.responses.stream({ model, input: "/reason Thinking about it\nAnswer" });
    const final = await stream.finalResponse();
    assert.deepEqual(
      final.output.map(({ type }) => type),
      ["reasoning", "message"],
    );
    const [reasoning] = final.output;
    assert.ok(reasoning?.type === "reasoning");
    assert.deepEqual(reasoning.summary, [{ type: "summary_text", text: "Thinking about it" }]);
    assert.equal(reasoning.encrypted_content, undefined);
    assert.equal(final.output_text, "Answer");
  });

  testWhere(
    given.provider.name === "simulated",
    "encrypted reasoning is shown only where it was asked for",
    async () => {
      const { responses } = given.client;
      const asked = await responses.create({ model, input: "/reason Hm", include: ["reasoning.encrypted_content"] });
      const [item] = asked.output;
      assert.ok(item?.type === "reasoning" && typeof item.encrypted_content === "string");
      const [plain] = (await responses.retrieve(asked.id)).output;
      assert.ok(plain?.type === "reasoning" && plain.encrypted_content === undefined);
      const [included] = (await responses.retrieve(asked.id, { include: ["reasoning.encrypted_content"] })).output;
      assert.deepEqual(included, item);
    },
  );

  testWhere(given.provider.has.citations, "a citation stands in the text's annotations", async () => {
    const input = "/say As it is written\n/cite https://example.com/a A page";
    const final = await given.client.responses.stream({ model, input }).finalResponse();
    const [message] = final.output;
    assert.ok(message?.type === "message");
    const [part] = message.content;
    assert.ok(part?.type === "output_text");
    assert.deepEqual(part.annotations, [
      { type: "url_citation", url: "https://example.com/a", title: "A page", start_index: 0, end_index: 16 },
    ]);
  });
});

async function collect(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
