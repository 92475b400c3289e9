// Contract: histories that branch, and what each of their readers sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../../src/contract/ids.ts";
import type { View } from "../../../src/ports/store/histories.ts";
import {
  ACME,
  answers,
  beginOf,
  calls,
  endOf,
  headOf,
  makeConversation,
  outputs,
  placeAfter,
  placeIn,
  runResponse,
  says,
  settleOf,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

export const testBranches = describeStore("branches", (suite) => {
  const find = (responseId: string) =>
    suite.store.findContinuation({ caller: ACME, name: { by: "response", responseId, answeredCallIds: [] } });
  const viewAt = async (responseId: string): Promise<View> => (await find(responseId))!.view;
  /** The texts of a view, in order; checks the view's size against them. */
  const texts = async (view: View) => {
    const { items } = await suite.store.readWindow({ itemsMax: 1e6, view, sizeMax: 1e9 });
    assert.equal(
      view.size,
      items.reduce((sum, { size }) => sum + size, 0),
    );
    assert.equal(view.turns, items.filter(({ opensTurn }) => opensTurn).length);
    return items.map(({ item }) =>
      item.type === "message" ? item.content.map((part) => ("text" in part ? part.text : "")).join("") : item.type,
    );
  };
  const turn = async (after: string | null, text: string) =>
    await runResponse(suite.store, {
      head: { previousResponseId: after as `resp_${string}` | null },
      begin: { placement: after === null ? { kind: "new" } : await placeAfter(suite.store, after) },
      input: [says(`${text}?`)],
      output: [answers(`${text}!`)],
    });

  test("naming the latest response appends, naming an earlier one shares the history up to it", async () => {
    const a = await turn(null, "a");
    const b = await turn(a.id, "b");
    const c = await turn(a.id, "c");
    const d = await turn(c.id, "d");
    const e = await turn(c.id, "e");
    assert.deepEqual(await texts(await viewAt(b.id)), ["a?", "a!", "b?", "b!"]);
    assert.deepEqual(await texts(await viewAt(c.id)), ["a?", "a!", "c?", "c!"]);
    assert.deepEqual(await texts(await viewAt(d.id)), ["a?", "a!", "c?", "c!", "d?", "d!"]);
    assert.deepEqual(await texts(await viewAt(e.id)), ["a?", "a!", "c?", "c!", "e?", "e!"]);
    assert.deepEqual(await texts(await viewAt(a.id)), ["a?", "a!"]);
    assert.deepEqual(await Promise.all([a, b, c, d, e].map(async ({ id }) => (await find(id))?.isBranch)), [
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test("a response that finds its thread grown when it settles keeps the history that it saw", async () => {
    const { store } = suite;
    const a = await turn(null, "a");
    const placement = await placeAfter(store, a.id);
    const heads = [headOf(), headOf(), headOf()];
    for (const head of heads) await store.beginResponse(beginOf(head, { placement }));
    for (const [index, head] of heads.entries()) {
      const settle = settleOf(head.id, [says(`${index}?`)], endOf([answers(`${index}!`)]));
      assert.ok(await store.settleResponse(settle));
    }
    for (const [index, head] of heads.entries()) {
      assert.deepEqual(await texts(await viewAt(head.id)), ["a?", "a!", `${index}?`, `${index}!`]);
      assert.equal((await find(head.id))?.isBranch, false);
      assert.equal((await store.readResponse({ caller: ACME, responseId: head.id }))?.end?.output.length, 1);
      const next = await turn(head.id, "next");
      assert.deepEqual((await texts(await viewAt(next.id))).slice(2, 4), [`${index}?`, `${index}!`]);
    }
  });

  test("a branch of a conversation is private: not listed in it, deleted with it", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const inConversation = async (text: string) =>
      await runResponse(store, {
        head: { conversationId },
        begin: { placement: await placeIn(store, conversationId) },
        input: [says(`${text}?`)],
        output: [answers(`${text}!`)],
      });
    const a = await inConversation("a");
    await inConversation("b");
    const branch = await turn(a.id, "c");
    const deep = await turn(a.id, "d");
    const deeper = await turn(deep.id, "e");
    const branchOfBranch = await turn(deep.id, "f");
    assert.deepEqual(await texts(await viewAt(branch.id)), ["a?", "a!", "c?", "c!"]);
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 99 });
    assert.ok(page.kind === "page");
    assert.equal(page.items.length, 4);
    const placements = [await placeAfter(store, deeper.id), await placeAfter(store, branchOfBranch.id)];
    await store.deleteConversation({ caller: ACME, conversationId });
    for (const { id } of [a, branch, deep, deeper, branchOfBranch]) {
      assert.equal(await store.readResponse({ caller: ACME, responseId: id }), null);
      assert.equal(await find(id), null);
      assert.equal(await store.deleteResponse({ caller: ACME, responseId: id }), false);
    }
    for (const placement of placements) {
      assert.deepEqual(await store.beginResponse(beginOf(headOf(), { placement })), { kind: "gone" });
    }
  });

  test("a response in a conversation is appended to its end, whatever was added while it ran", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const head = headOf({ conversationId });
    await store.beginResponse(beginOf(head, { placement: await placeIn(store, conversationId) }));
    await store.addItems({ caller: ACME, conversationId, items: [says("meanwhile")], claim: null });
    await store.settleResponse(settleOf(head.id, [says("q")], endOf([answers("a")])));
    const found = await store.findContinuation({
      caller: ACME,
      name: { by: "conversation", conversationId, answeredCallIds: [] },
    });
    assert.deepEqual(await texts(found!.view), ["meanwhile", "q", "a"]);
  });

  test("a branch of a branch keeps every segment, whatever its depth", async () => {
    let last = await turn(null, "0");
    const expected = ["0?", "0!"];
    for (let depth = 1; depth <= 6; depth++) {
      const base = last;
      await turn(base.id, "beside");
      last = await turn(base.id, String(depth));
      expected.push(`${depth}?`, `${depth}!`);
    }
    assert.deepEqual(await texts(await viewAt(last.id)), expected);
  });

  test("a view is as large as its live items, wherever it ends among thousands of deleted ones", async () => {
    const long = Array.from({ length: 1500 }, (_, at) => says(`${at}`, at === 0 ? {} : { opensTurn: false }));
    const { store } = suite;
    const made: ResponseId[] = [];
    for (let at = 0; at < 3; at++) {
      const placement = made.length === 0 ? ({ kind: "new" } as const) : await placeAfter(store, made.at(-1)!);
      const input = long.map((item) => ({
        ...item,
        item: { ...item.item, id: `msg_${at}_${item.item.id}` as const },
      }));
      made.push((await runResponse(store, { begin: { placement }, input })).id);
    }
    const [first, second, third] = made as [ResponseId, ResponseId, ResponseId];
    const branch = (await runResponse(store, { begin: { placement: await placeAfter(store, second) } })).id;
    for (const deleted of [first, second]) {
      await store.deleteResponse({ caller: ACME, responseId: deleted });
      for (const end of [third, branch]) await texts(await viewAt(end));
    }
    assert.equal((await texts(await viewAt(branch))).length, 2);
    assert.equal((await texts(await viewAt(third))).length, 1501);
  });

  test("the newest 4 MiB of a branch's round states are read, whatever its turn's other branches left", async () => {
    const { store } = suite;
    const state = (round: number) => ({ round, reasoning: "r".repeat(1_000_000) });
    const first = await runResponse(store, { output: [calls("call_m")], end: { providerState: state(0) } });
    const answer = async (after: ResponseId, round: number) => {
      const begin = { placement: await placeAfter(store, after) };
      const [input, output] = [[outputs("call_m")], [calls("call_m")]];
      return await runResponse(store, {
        head: { turnId: first.id },
        begin,
        input,
        output,
        end: { providerState: state(round) },
      });
    };
    let newest = first;
    for (const round of [1, 2]) newest = await answer(newest.id, round);
    const states = async () => {
      const latest = (await find(newest.id))?.latest;
      return [latest?.states.map((round) => (round.state as { round: number }).round), latest?.unreadableStates];
    };
    for (let branch = 0; branch < 5; branch++) await answer(first.id, 100);
    assert.deepEqual(await states(), [[0, 1, 2], 0]);
    for (const round of [3, 4, 5]) newest = await answer(newest.id, round);
    assert.deepEqual(await states(), [[2, 3, 4, 5], 2]);
  });
});
