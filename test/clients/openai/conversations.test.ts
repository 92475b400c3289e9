import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError } from "openai";
import type { ConversationItem } from "openai/resources/conversations/items";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { bare, onEveryProvider } from "./gateway.ts";

onEveryProvider((given) => {
  const { model } = given;

  test("a conversation is created, updated, read and deleted", async () => {
    const { conversations } = given.client;
    const empty = await conversations.create();
    assert.match(empty.id, /^conv_/);
    assert.deepEqual(empty.metadata, {});
    const updated = await conversations.update(empty.id, { metadata: { topic: "birds" } });
    assert.deepEqual(updated.metadata, { topic: "birds" });
    assert.deepEqual(bare(await conversations.retrieve(empty.id)), bare(updated));
    assert.deepEqual((await conversations.update(empty.id, { metadata: {} })).metadata, {});
    const deleted = await conversations.delete(empty.id);
    assert.deepEqual(bare(deleted), { id: empty.id, object: "conversation.deleted", deleted: true });
    await assert.rejects(conversations.retrieve(empty.id), NotFoundError);
    assert.equal((await conversations.delete(empty.id)).deleted, true);
  });

  test("items are added, listed, retrieved and deleted", async () => {
    const { conversations } = given.client;
    const { id } = await conversations.create({ items: [{ role: "system", content: "You are kind" }] });
    const added = await conversations.items.create(id, {
      items: [
        { type: "message", role: "user", content: "Hello" },
        { type: "message", role: "assistant", content: "Hi" },
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Go on" }] },
      ],
    });
    assert.deepEqual(added.data.map(textOf), ["Hello", "Hi", "Go on"]);
    const listed = await conversations.items.list(id);
    assert.deepEqual(listed.data.map(textOf), ["You are kind", "Hello", "Hi", "Go on"]);
    const [, hello] = listed.data;
    assert.ok(hello?.id);
    assert.deepEqual(bare(await conversations.items.retrieve(hello.id, { conversation_id: id })), bare(hello));
    const { id: of } = await conversations.items.delete(hello.id, { conversation_id: id });
    assert.equal(of, id);
    assert.deepEqual((await conversations.items.list(id)).data.map(textOf), ["You are kind", "Hi", "Go on"]);
    await assert.rejects(conversations.items.retrieve(hello.id, { conversation_id: id }), NotFoundError);
  });

  test("added items are context, and a response's items join them", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create({
      items: [
        { role: "user", content: "I am Ada" },
        { role: "assistant", content: "Hello Ada" },
      ],
    });
    const told = await responses.create({ model, input: "/history", conversation });
    assert.equal(told.output_text, "1. user: I am Ada\n2. assistant: Hello Ada\n3. user: /history");
    assert.deepEqual(told.conversation, { id: conversation });
    const { data } = await conversations.items.list(conversation, { order: "desc", limit: 2 });
    assert.deepEqual(bare(data[0]), bare(told.output[0]));
    assert.equal(textOf(data[1]), "/history");
    // The model is inherited.
    const next = await responses.create({ input: "Again", conversation: { id: conversation } });
    assert.equal(next.model, model);
  });

  test("an item of a response is removed only with its response", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create();
    const kept = await responses.create({ model, input: "one", conversation });
    const gone = await responses.create({ model, input: "two", conversation });
    const itemId = gone.output[0]?.id ?? "";
    await assert.rejects(conversations.items.delete(itemId, { conversation_id: conversation }), {
      status: 400,
      code: "invalid_input",
    });
    const deleted: unknown = await responses.delete(gone.id);
    assert.deepEqual(bare(deleted ?? null), { id: gone.id, object: "response.deleted", deleted: true });
    assert.deepEqual((await conversations.items.list(conversation)).data.map(textOf), ["one", "one"]);
    await assert.rejects(responses.retrieve(gone.id), NotFoundError);
    await assert.rejects(responses.create({ input: "x", previous_response_id: gone.id }), NotFoundError);
    const next = await responses.create({ input: "/history", previous_response_id: kept.id });
    assert.equal(next.output_text, "1. user: one\n2. assistant: one\n3. user: /history");
  });

  test("naming an earlier response branches off the conversation", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create();
    const first = await responses.create({ model, input: "one", conversation });
    await responses.create({ model, input: "two", conversation });
    const branch = await responses.create({ model, input: "/history", previous_response_id: first.id });
    assert.equal(branch.output_text, "1. user: one\n2. assistant: one\n3. user: /history");
    assert.equal(branch.conversation, null);
    assert.deepEqual((await conversations.items.list(conversation)).data.map(textOf), ["one", "one", "two", "two"]);
  });

  test("walking the pages of 1,000 items gives each once, in both orders", async () => {
    const { conversations } = given.client;
    const { id } = await conversations.create();
    const texts = Array.from({ length: 1000 }, (_, index) => `item ${index}`);
    for (let start = 0; start < texts.length; start += 20) {
      const items = texts.slice(start, start + 20).map((content): ResponseInputItem => ({ role: "user", content }));
      await conversations.items.create(id, { items });
    }
    for (const limit of [7, 20, 100, 500]) {
      const walked: (string | null)[] = [];
      for await (const item of conversations.items.list(id, { limit })) walked.push(textOf(item));
      assert.deepEqual(walked, texts, `limit ${limit}`);
    }
    const backwards: (string | null)[] = [];
    for await (const item of conversations.items.list(id, { order: "desc", limit: 333 })) backwards.push(textOf(item));
    assert.deepEqual(backwards, texts.toReversed());
  });

  test("pages walked in ascending order see what is appended meanwhile", async () => {
    const { conversations } = given.client;
    const { id } = await conversations.create({ items: ["a", "b", "c"].map((content) => ({ role: "user", content })) });
    const walked: (string | null)[] = [];
    for await (const item of conversations.items.list(id, { order: "asc", limit: 2 })) {
      walked.push(textOf(item));
      if (walked.length === 1) await conversations.items.create(id, { items: [{ role: "user", content: "d" }] });
    }
    assert.deepEqual(walked, ["a", "b", "c", "d"]);
  });

  test("an empty conversation is an empty page", async () => {
    const { conversations } = given.client;
    const { id } = await conversations.create({ items: [] });
    const page = await conversations.items.list(id);
    assert.deepEqual([page.data, page.has_more, page.last_id], [[], false, ""]);
    assert.equal(page.hasNextPage(), false);
  });

  test("include works as the client encodes it", async () => {
    const { conversations, responses } = given.client;
    const { id: conversation } = await conversations.create();
    await responses.create({ model, input: "/reason Hm\nx", conversation });
    const include = ["reasoning.encrypted_content" as const];
    const { data } = await conversations.items.list(conversation, { include });
    assert.ok(data.length >= 2);
    await assert.rejects(conversations.items.list(conversation, { include: ["nonsense" as never] }), {
      status: 400,
      param: "include",
    });
  });
});

function textOf(item: ConversationItem | undefined): string | null {
  if (item?.type !== "message") return null;
  const [part] = item.content;
  return part !== undefined && "text" in part ? part.text : null;
}
