// Contract: the window of a view, and the items in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../../src/contract/items.ts";
import type { ResponseHead } from "../../../src/core/response/response.ts";
import {
  ACME,
  answers,
  calls,
  idsOf,
  makeConversation,
  outputs,
  placeAfter,
  placeIn,
  runResponse,
  says,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

export const testViews = describeStore("views", (suite) => {
  const viewOf = async (conversationId: string) => {
    const placement = await placeIn(suite.store, conversationId);
    assert.ok(placement.kind === "append");
    return placement.view;
  };

  test("the window ends with the item that crosses the size, at every size", async () => {
    const { store } = suite;
    const sizes = [3, 0, 5, 1, 0, 2, 4];
    const items = sizes.map((size) => says("x".repeat(size)));
    const conversationId = await makeConversation(store, items);
    const view = await viewOf(conversationId);
    for (let sizeMax = 0; sizeMax <= 17; sizeMax++) {
      // The model: backwards, until the size is exceeded.
      const expected: typeof items = [];
      let taken = 0;
      for (const item of items.toReversed()) {
        if (taken > sizeMax) break;
        expected.unshift(item);
        taken += item.size;
      }
      const window = await store.readWindow({ itemsMax: 1e6, view, sizeMax });
      assert.deepEqual(idsOf(window.items), idsOf(expected), `size ${sizeMax}`);
    }
  });

  test("a window ends with the item beyond its number of items, whatever their sizes, in branches too", async () => {
    const { store } = suite;
    const items = Array.from({ length: 100 }, () => says("", { size: 0 }));
    const conversationId = await makeConversation(store, items);
    const head = await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
    });
    await runResponse(store, { begin: { placement: await placeIn(store, conversationId) } });
    const branch = await placeAfter(store, head.id);
    for (const view of [await viewOf(conversationId), branch.kind === "new" ? assert.fail() : branch.view]) {
      const all = idsOf((await store.readWindow({ itemsMax: 1e6, view, sizeMax: 1e9 })).items);
      for (const itemsMax of [1, 2, 31, 32, 33, 60, 99, 100, 101, 200]) {
        const window = await store.readWindow({ itemsMax, view, sizeMax: 1e9 });
        assert.deepEqual(idsOf(window.items), all.slice(-itemsMax - 1), `${itemsMax} of ${all.length}`);
      }
    }
  });

  test("a window has the responses of its later rounds on request, and when it is not whole", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const round = async (head: Partial<ResponseHead>) =>
      runResponse(store, {
        head: { conversationId, ...head },
        begin: { placement: await placeIn(store, conversationId) },
        input: [says("in")],
        output: [answers("out")],
      });
    const opening = await round({});
    const second = await round({ turnId: opening.id });
    const branch = await placeAfter(store, second.id);
    assert.ok(branch.kind !== "new");
    const third = await round({ turnId: opening.id });
    const rounds = async (sizeMax: number, withTurns: boolean, view = viewOf(conversationId)) => {
      const window = await store.readWindow({ itemsMax: 1e6, view: await view, sizeMax, withTurns });
      return [window.isWhole, ...window.laterRounds.keys()];
    };
    assert.deepEqual(await rounds(1e9, false), [true]);
    assert.deepEqual(await rounds(1e9, true), [true, second.id, third.id]);
    assert.deepEqual(await rounds(1e9, true, Promise.resolve(branch.view)), [true, second.id]);
    assert.deepEqual(await rounds(1, false), [false, third.id]);
  });

  test("an item is returned as it was stored", async () => {
    const { store } = suite;
    const added = says("carried", { opensTurn: false, carried: true, size: 77 });
    const conversationId = await makeConversation(store, [added]);
    const head = await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      input: [says("in")],
      output: [answers("out")],
    });
    const { items } = await store.readWindow({ itemsMax: 1e6, view: await viewOf(conversationId), sizeMax: 1e9 });
    assert.deepEqual(items[0], { ...added, responseId: null });
    assert.deepEqual(
      items.map(({ responseId, opensTurn }) => [responseId, opensTurn]),
      [
        [null, false],
        [head.id, true],
        [head.id, false],
      ],
    );
  });

  test("the window contains reasoning without its content, which no model is sent", async () => {
    const { store } = suite;
    const reasoning: Item = { type: "reasoning", id: "rs_long", summary: [{ type: "summary_text", text: "long" }] };
    const added = { item: reasoning, opensTurn: true, carried: false, answers: null, size: 0 };
    const conversationId = await makeConversation(store, [added, says("a", { opensTurn: false })]);
    const { items, unreadable } = await store.readWindow({
      itemsMax: 1e6,
      view: await viewOf(conversationId),
      sizeMax: 1e9,
    });
    assert.deepEqual(items[0], { ...added, item: { ...reasoning, summary: [] }, responseId: null });
    assert.deepEqual([items.length, unreadable], [2, 0]);
    const stored = await store.readItem({ caller: ACME, conversationId, itemId: reasoning.id });
    assert.deepEqual(stored, { readable: true, id: reasoning.id, text: JSON.stringify(reasoning) });
  });

  test("deleted items leave the window and its totals, wherever they were", async () => {
    const { store } = suite;
    const items = ["one", "two!", "three"].map((text) => says(text));
    const conversationId = await makeConversation(store, items);
    await store.deleteItem({ caller: ACME, conversationId, itemId: items[0]!.item.id });
    await store.deleteItem({ caller: ACME, conversationId, itemId: items[2]!.item.id });
    const view = await viewOf(conversationId);
    assert.deepEqual([view.size, view.turns], [4, 1]);
    const window = await store.readWindow({ itemsMax: 1e6, view, sizeMax: 3 });
    assert.deepEqual(idsOf(window.items), idsOf([items[1]!]));
  });

  test("a view keeps its end while its thread grows", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("a")]);
    const view = await viewOf(conversationId);
    await store.addItems({ caller: ACME, conversationId, items: [says("b")], claim: null });
    assert.equal((await store.readWindow({ itemsMax: 1e6, view, sizeMax: 1e9 })).items.length, 1);
  });

  test("the items of a view are distinguished from others", async () => {
    const { store } = suite;
    const mine = says("mine");
    const first = await runResponse(store, { input: [mine] });
    const later = says("later");
    await runResponse(store, { input: [later], begin: { placement: await placeAfter(store, first.id) } });
    const placement = await placeAfter(store, first.id);
    assert.ok(placement.kind === "branch");
    const own = says("own");
    const branch = await runResponse(store, { input: [own], begin: { placement } });
    const found = await placeAfter(store, branch.id);
    assert.ok(found.kind === "append");
    const itemIds = [own, later, mine].map(({ item }) => item.id);
    assert.deepEqual(
      await store.findItemsInView({ view: found.view, itemIds: [...itemIds, "msg_none"] }),
      [own, mine].map(({ item }) => item.id),
    );
    await store.deleteResponse({ caller: ACME, responseId: first.id });
    assert.deepEqual(await store.findItemsInView({ view: found.view, itemIds }), [own.item.id]);
  });

  test("the calls that a view has outputs for are distinguished from others", async () => {
    const { store } = suite;
    const asks = (callId: string) => ({ ...says(""), item: calls(callId) });
    const exchange = (callId: string) => [asks(callId), outputs(callId)];
    const first = await runResponse(store, { input: exchange("mine") });
    await runResponse(store, { input: exchange("later"), begin: { placement: await placeAfter(store, first.id) } });
    const placement = await placeAfter(store, first.id);
    assert.ok(placement.kind === "branch");
    const branch = await runResponse(store, { input: [...exchange("own"), asks("open")], begin: { placement } });
    const found = await placeAfter(store, branch.id);
    assert.ok(found.kind === "append");
    const query = { view: found.view, callIds: ["own", "later", "mine", "open", "none"] };
    assert.deepEqual(await store.findAnsweredInView(query), ["own", "mine"]);
    await store.deleteResponse({ caller: ACME, responseId: first.id });
    assert.deepEqual(await store.findAnsweredInView(query), ["own"]);
  });
});
