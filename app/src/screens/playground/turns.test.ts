import assert from "node:assert/strict";
import { test } from "node:test";
import { continuationsOf, newTurn, waitingCalls, pathTo, type Turn, withEvent } from "./turns.ts";
import type { Response, StreamEvent } from "./v1.ts";

const REQUEST = { model: "m", input: "x" };
const tree = new Map(
  [newTurn(1, null, REQUEST), newTurn(2, 1, REQUEST), newTurn(3, 1, REQUEST), newTurn(4, 3, REQUEST)].map(
    (turn) => [turn.id, turn] as const,
  ),
);
const ids = (turns: readonly Turn[]) => turns.map(({ id }) => id);

test("a path leads from the first turn over the branch to its head", () => {
  assert.deepEqual(ids(pathTo(tree, 4)), [1, 3, 4]);
  assert.deepEqual(ids(pathTo(tree, 2)), [1, 2]);
  assert.deepEqual(pathTo(tree, null), []);
});

test("a turn with several continuations is a place where branches part", () => {
  assert.deepEqual(ids(continuationsOf(tree, 1)), [2, 3]);
  assert.deepEqual(ids(continuationsOf(tree, null)), [1]);
});

test("deltas add up, and the newest state of the response is kept", () => {
  const delta = (text: string) => ({ type: "response.output_text.delta", delta: text }) as StreamEvent;
  const completed = { type: "response.completed", response: { status: "completed" } } as StreamEvent;
  const turn = [delta("Hel"), delta("lo"), completed].reduce(
    (state, event) => withEvent(state, 1, event),
    newTurn(1, null, REQUEST),
  );
  assert.deepEqual([turn.text, turn.response?.status, turn.events.length], ["Hello", "completed", 3]);
});

test("an item that is whole is kept, and the text of the next one begins anew", () => {
  const events = [
    { type: "response.output_item.done", item: { type: "reasoning", id: "rs_1", summary: [] } },
    { type: "response.output_text.delta", delta: "Hel" },
  ] as unknown as StreamEvent[];
  const running = events.reduce((state, event) => withEvent(state, 1, event), newTurn(1, null, REQUEST));
  assert.deepEqual([running.items.length, running.text], [1, "Hel"]);
  const item = { type: "message", id: "msg_1", content: [] };
  const whole = withEvent(running, 2, { type: "response.output_item.done", item } as unknown as StreamEvent);
  assert.deepEqual([whole.items.length, whole.text], [2, ""]);
});

test("only the calls of a completed response wait for outputs", () => {
  const output = [
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}", status: "completed" },
  ];
  const withStatus = (status: string): Turn => ({
    ...newTurn(1, null, REQUEST),
    response: { status, output } as unknown as Response,
  });
  assert.deepEqual(
    waitingCalls(withStatus("completed")).map(({ call_id: id }) => id),
    ["call_1"],
  );
  for (const status of ["cancelled", "incomplete", "failed", "in_progress"])
    assert.deepEqual(waitingCalls(withStatus(status)), []);
});
