import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../contract/events.ts";
import type { OutputItem, UrlCitation } from "../../contract/items.ts";
import { TERMINAL_STATUSES } from "../../contract/statuses.ts";
import { callItem, countingMint, endOf, headOf } from "../../../test/support/responses.ts";
import { createOutputBuilder } from "./output-builder.ts";
import { presentResponse } from "./present.ts";
import { asRunning, replayBeginning, replayRest, terminalEvent } from "./replay.ts";
import type { StoredResponse } from "./response.ts";

const citation: UrlCitation = { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 1 };

/** A response with one of everything, as its output builder left it. */
function lived(
  status: "completed" | "incomplete",
  ...texts: string[]
): { response: StoredResponse; events: ResponseEvent[] } {
  const events: ResponseEvent[] = [];
  const builder = createOutputBuilder(countingMint(), Infinity, (event) => events.push(event));
  builder.accept({ type: "reasoning", summary: ["thought"], encryptedContent: "enc" });
  for (const text of texts) builder.accept({ type: "text", text });
  builder.accept({ type: "annotation", annotation: citation });
  builder.accept({ type: "refusal", text: "" });
  builder.accept({ type: "call_started", index: 0, callId: "call_0", name: "add" });
  builder.accept({ type: "call_arguments", index: 0, delta: '{"a":1}' });
  builder.accept({ type: "call_finished", index: 0 });
  builder.accept({ type: "text", text: "cut" });
  const output = builder.close(status);
  return { response: { head: headOf(), status, end: endOf({ status, output }) }, events };
}

function replayed(response: StoredResponse): ResponseEvent[] {
  const running = presentResponse(asRunning(response), true);
  return [...replayBeginning(running), ...replayRest(running, presentResponse(response, true))];
}

for (const status of ["completed", "incomplete"] as const) {
  test(`the replayed events of a response that is ${status} are the original ones, with one delta for each part`, () => {
    const { response, events } = lived(status, "Hello");
    assert.deepEqual(replayed(response).slice(2, -1), events);
  });
}

test("several deltas of a part are replayed as one, with the same ids", () => {
  const { response, events } = lived("completed", "Hel", "lo", "!");
  const again = replayed(response);
  const deltas = again.filter((event) => event.type === "response.output_text.delta");
  assert.deepEqual(
    deltas.map((event) => event.delta),
    ["Hello!", "cut"],
  );
  const done = (list: ResponseEvent[]) => list.filter((event) => event.type === "response.output_item.done");
  assert.deepEqual(done(again), done(events));
});

test("two annotations of a part are numbered 0 and 1, live and replayed", () => {
  const events: ResponseEvent[] = [];
  const builder = createOutputBuilder(countingMint(), Infinity, (event) => events.push(event));
  builder.accept({ type: "text", text: "Hello" });
  for (const title of ["A", "B"]) builder.accept({ type: "annotation", annotation: { ...citation, title } });
  const response: StoredResponse = {
    head: headOf(),
    status: "completed",
    end: endOf({ output: builder.close("completed") }),
  };
  for (const stream of [events, replayed(response)]) {
    const added = stream.filter((event) => event.type === "response.output_text.annotation.added");
    assert.deepEqual(
      added.map(({ annotation_index, annotation }) => [annotation_index, annotation.title]),
      [
        [0, "A"],
        [1, "B"],
      ],
    );
  }
});

test("it begins with created and in_progress of the running object and ends with the one terminal event", () => {
  const { response } = lived("completed", "Hello");
  const events = replayed(response);
  const running = presentResponse(asRunning(response), true);
  assert.deepEqual(events[0], { type: "response.created", response: running });
  assert.deepEqual(events[1], { type: "response.in_progress", response: running });
  assert.deepEqual([running.status, running.output, "usage" in running], ["in_progress", [], false]);
  const terminal = /^response\.(completed|failed|incomplete)$|^error$/;
  assert.deepEqual(
    events.map((event, index) => (terminal.test(event.type) ? index : -1)).filter((index) => index >= 0),
    [events.length - 1],
  );
});

test("a call cut short before its arguments is replayed with its one empty delta", () => {
  const item: OutputItem = { ...callItem("c"), arguments: "", status: "incomplete" };
  const response: StoredResponse = {
    head: headOf(),
    status: "incomplete",
    end: endOf({ status: "incomplete", output: [item] }),
  };
  assert.deepEqual(
    replayed(response).map((event) => event.type),
    [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.incomplete",
    ],
  );
});

test("a response without output is replayed as created, in_progress and its end", () => {
  const response: StoredResponse = { head: headOf(), status: "failed", end: endOf({ status: "failed" }) };
  assert.equal(replayed(response).length, 3);
});

for (const status of TERMINAL_STATUSES) {
  const type = { completed: "completed", incomplete: "incomplete", failed: "failed", cancelled: "failed" }[status];
  test(`a response that is ${status} ends as response.${type}, carrying it with its own status`, () => {
    const response = presentResponse({ head: headOf(), status, end: endOf({ status }) }, false);
    assert.deepEqual(terminalEvent(response), { type: `response.${type}`, response });
    assert.equal(response.status, status);
  });
}

test("a running response has no terminal event", () => {
  assert.throws(() => terminalEvent(presentResponse({ head: headOf(), status: "queued", end: null }, false)));
});

test("a running response stays as it is, also a queued one", () => {
  const queued: StoredResponse = { head: headOf(), status: "queued", end: null };
  assert.equal(asRunning(queued), queued);
});
