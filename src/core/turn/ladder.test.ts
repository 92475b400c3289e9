// The ladders of docs/wire.md as exact sequences of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LadderEvent } from "../../contract/events.ts";
import type { MessagePhase, OutputItem, UrlCitation } from "../../contract/items.ts";
import { countingMint } from "../../../test/support/turns.ts";
import { createLadder, type Ladder, type LadderPart } from "./ladder.ts";

interface Climbed {
  readonly events: LadderEvent[];
  readonly output: OutputItem[];
  readonly ladder: Ladder;
}

function climb(
  parts: readonly LadderPart[],
  end: "completed" | "incomplete" = "completed",
  callsMax = Infinity,
): Climbed {
  const events: LadderEvent[] = [];
  // Events are told at once: a copy shows what they said when they were emitted.
  const ladder = createLadder(countingMint(), callsMax, (event) => events.push(structuredClone(event)));
  for (const part of parts) ladder.climb(part);
  return { events, output: ladder.close(end), ladder };
}

const text = (words: string): LadderPart => ({ type: "text", text: words });
const refusal = (words: string): LadderPart => ({ type: "refusal", text: words });
const started = (index: number): LadderPart => ({ type: "call_started", index, callId: `call_${index}`, name: "add" });
const delta = (index: number, words: string): LadderPart => ({ type: "call_arguments", index, delta: words });
const finished = (index: number): LadderPart => ({ type: "call_finished", index });
const call = (index: number, ...deltas: string[]): LadderPart[] => [
  started(index),
  ...deltas.map((words) => delta(index, words)),
  finished(index),
];
const citation: UrlCitation = { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 1 };

// The expected events, written short: m = message, f = function call, at its output index.
const addedMessage = (id: string, at: number): LadderEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: { type: "message", id, role: "assistant", status: "in_progress", content: [] },
});
const message = (id: string, status: "completed" | "incomplete", ...content: object[]) =>
  ({ type: "message", id, role: "assistant", status, content }) as unknown as OutputItem;
const textPart = (words: string, ...annotations: UrlCitation[]) => ({
  type: "output_text" as const,
  text: words,
  annotations,
  logprobs: [],
});
const refusalPart = (words: string) => ({ type: "refusal" as const, refusal: words });
const done = (at: number, item: OutputItem): LadderEvent => ({
  type: "response.output_item.done",
  output_index: at,
  item,
});
const partAdded = (id: string, at: number, part: number, shape: ReturnType<typeof textPart | typeof refusalPart>) =>
  ({
    type: "response.content_part.added",
    item_id: id,
    output_index: at,
    content_index: part,
    part: shape,
  }) as LadderEvent;
const partDone = (id: string, at: number, part: number, shape: ReturnType<typeof textPart | typeof refusalPart>) =>
  ({
    type: "response.content_part.done",
    item_id: id,
    output_index: at,
    content_index: part,
    part: shape,
  }) as LadderEvent;
const textDelta = (id: string, at: number, part: number, words: string): LadderEvent => ({
  type: "response.output_text.delta",
  item_id: id,
  output_index: at,
  content_index: part,
  delta: words,
  logprobs: [],
});
const textDone = (id: string, at: number, part: number, words: string): LadderEvent => ({
  type: "response.output_text.done",
  item_id: id,
  output_index: at,
  content_index: part,
  text: words,
  logprobs: [],
});
const refusalDelta = (id: string, at: number, part: number, words: string): LadderEvent => ({
  type: "response.refusal.delta",
  item_id: id,
  output_index: at,
  content_index: part,
  delta: words,
});
const refusalDone = (id: string, at: number, part: number, words: string): LadderEvent => ({
  type: "response.refusal.done",
  item_id: id,
  output_index: at,
  content_index: part,
  refusal: words,
});
const functionCall = (id: string, index: number, args: string, status: "in_progress" | "completed" | "incomplete") =>
  ({ type: "function_call", id, call_id: `call_${index}`, name: "add", arguments: args, status }) as const;
const addedCall = (id: string, at: number, index: number): LadderEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: functionCall(id, index, "", "in_progress"),
});
const argumentsDelta = (id: string, at: number, words: string): LadderEvent => ({
  type: "response.function_call_arguments.delta",
  item_id: id,
  output_index: at,
  delta: words,
});
const argumentsDone = (id: string, at: number, words: string): LadderEvent => ({
  type: "response.function_call_arguments.done",
  item_id: id,
  output_index: at,
  arguments: words,
});

/** The events of a whole message of one text. */
const textLadder = (id: string, at: number, deltas: string[], status: "completed" | "incomplete" = "completed") => {
  const words = deltas.join("");
  return [
    addedMessage(id, at),
    partAdded(id, at, 0, textPart("")),
    ...deltas.map((one) => textDelta(id, at, 0, one)),
    textDone(id, at, 0, words),
    partDone(id, at, 0, textPart(words)),
    done(at, message(id, status, textPart(words))),
  ];
};
const callLadder = (id: string, at: number, index: number, deltas: string[]) => [
  addedCall(id, at, index),
  ...deltas.map((one) => argumentsDelta(id, at, one)),
  argumentsDone(id, at, deltas.join("")),
  done(at, functionCall(id, index, deltas.join(""), "completed")),
];

const phased = (phase: MessagePhase | null): LadderPart => ({ type: "message_started", phase });
/** The same of a message with a phase: its item has the key when it is added and when it is done. */
const phasedLadder = (id: string, at: number, deltas: string[], phase: MessagePhase): LadderEvent[] =>
  textLadder(id, at, deltas).map((event) =>
    "item" in event ? ({ ...event, item: { ...event.item, phase } } as LadderEvent) : event,
  );

const reasoning = (encryptedContent: string | null): LadderPart => ({
  type: "reasoning",
  summary: ["a", "b"],
  encryptedContent,
});
const reasoningItem = (id: string, more: object = {}) =>
  ({
    type: "reasoning",
    id,
    summary: [
      { type: "summary_text", text: "a" },
      { type: "summary_text", text: "b" },
    ],
    ...more,
  }) as OutputItem;
const addedReasoning = (id: string, at: number): LadderEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: { type: "reasoning", id, summary: [] },
});

interface Case {
  readonly name: string;
  readonly parts: readonly LadderPart[];
  readonly end?: "incomplete";
  readonly callsMax?: number;
  readonly dropped?: number;
  readonly events: readonly LadderEvent[];
}

const cases: readonly Case[] = [
  { name: "nothing puts out nothing", parts: [], events: [] },
  {
    name: "text climbs the ladder of the specification",
    parts: [text("Hel"), text("lo")],
    events: textLadder("msg_1", 0, ["Hel", "lo"]),
  },
  {
    name: "text before a call: the message closes whole before the call opens",
    parts: [text("Let me see."), ...call(7, '{"a"', ":1}")],
    events: [...textLadder("msg_1", 0, ["Let me see."]), ...callLadder("fc_2", 1, 7, ['{"a"', ":1}"])],
  },
  {
    name: "a message that is announced opens with its text and has its phase from the first event to the last",
    parts: [phased("commentary"), text("Hm."), phased("final_answer"), text("Yes")],
    events: [...phasedLadder("msg_1", 0, ["Hm."], "commentary"), ...phasedLadder("msg_2", 1, ["Yes"], "final_answer")],
  },
  {
    name: "two messages in a row stay two, without a phase too",
    parts: [text("a"), phased(null), text("b")],
    events: [...textLadder("msg_1", 0, ["a"]), ...textLadder("msg_2", 1, ["b"])],
  },
  {
    name: "a message that is announced and never written is no item, and its phase is nobody's",
    parts: [phased("commentary"), ...call(0, "{}"), text("x"), phased("final_answer")],
    events: [...callLadder("fc_1", 0, 0, ["{}"]), ...textLadder("msg_2", 1, ["x"])],
  },
  {
    name: "several calls, one behind the other",
    parts: [...call(0, "{}"), ...call(1, '{"b":2}')],
    events: [...callLadder("fc_1", 0, 0, ["{}"]), ...callLadder("fc_2", 1, 1, ['{"b":2}'])],
  },
  {
    name: "interleaved calls: each delta at its own output index, each call closes when it ends",
    parts: [started(3), started(9), delta(9, "{"), delta(3, "{}"), delta(9, "}"), finished(9), finished(3)],
    events: [
      addedCall("fc_1", 0, 3),
      addedCall("fc_2", 1, 9),
      argumentsDelta("fc_2", 1, "{"),
      argumentsDelta("fc_1", 0, "{}"),
      argumentsDelta("fc_2", 1, "}"),
      argumentsDone("fc_2", 1, "{}"),
      done(1, functionCall("fc_2", 9, "{}", "completed")),
      argumentsDone("fc_1", 0, "{}"),
      done(0, functionCall("fc_1", 3, "{}", "completed")),
    ],
  },
  {
    name: "a call without arguments has one delta, an empty object",
    parts: [started(0), delta(0, ""), finished(0)],
    events: callLadder("fc_1", 0, 0, ["{}"]),
  },
  {
    name: "text after a call is a message of its own",
    parts: [text("a"), ...call(0, "{}"), text("b")],
    events: [...textLadder("msg_1", 0, ["a"]), ...callLadder("fc_2", 1, 0, ["{}"]), ...textLadder("msg_3", 2, ["b"])],
  },
  {
    name: "a refusal with text",
    parts: [refusal("I "), refusal("can't")],
    events: [
      addedMessage("msg_1", 0),
      partAdded("msg_1", 0, 0, refusalPart("")),
      refusalDelta("msg_1", 0, 0, "I "),
      refusalDelta("msg_1", 0, 0, "can't"),
      refusalDone("msg_1", 0, 0, "I can't"),
      partDone("msg_1", 0, 0, refusalPart("I can't")),
      done(0, message("msg_1", "completed", refusalPart("I can't"))),
    ],
  },
  {
    name: "a refusal without text has no delta",
    parts: [refusal("")],
    events: [
      addedMessage("msg_1", 0),
      partAdded("msg_1", 0, 0, refusalPart("")),
      refusalDone("msg_1", 0, 0, ""),
      partDone("msg_1", 0, 0, refusalPart("")),
      done(0, message("msg_1", "completed", refusalPart(""))),
    ],
  },
  {
    name: "a refusal after text is the next part of the same message",
    parts: [text("Well"), refusal("no")],
    events: [
      addedMessage("msg_1", 0),
      partAdded("msg_1", 0, 0, textPart("")),
      textDelta("msg_1", 0, 0, "Well"),
      textDone("msg_1", 0, 0, "Well"),
      partDone("msg_1", 0, 0, textPart("Well")),
      partAdded("msg_1", 0, 1, refusalPart("")),
      refusalDelta("msg_1", 0, 1, "no"),
      refusalDone("msg_1", 0, 1, "no"),
      partDone("msg_1", 0, 1, refusalPart("no")),
      done(0, message("msg_1", "completed", textPart("Well"), refusalPart("no"))),
    ],
  },
  {
    name: "reasoning is added and done at once, without inner events; encrypted content only where there is any",
    parts: [reasoning(null), text("x"), reasoning("enc")],
    events: [
      addedReasoning("rs_1", 0),
      done(0, reasoningItem("rs_1")),
      ...textLadder("msg_2", 1, ["x"]),
      addedReasoning("rs_3", 2),
      done(2, reasoningItem("rs_3", { encrypted_content: "enc" })),
    ],
  },
  {
    name: "annotations stand among the deltas, numbered from 0, and in the part that is done",
    parts: [
      text("a"),
      { type: "annotation", annotation: citation },
      text("b"),
      { type: "annotation", annotation: citation },
    ],
    events: [
      addedMessage("msg_1", 0),
      partAdded("msg_1", 0, 0, textPart("")),
      textDelta("msg_1", 0, 0, "a"),
      {
        type: "response.output_text.annotation.added",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        annotation_index: 0,
        annotation: citation,
      },
      textDelta("msg_1", 0, 0, "b"),
      {
        type: "response.output_text.annotation.added",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        annotation_index: 1,
        annotation: citation,
      },
      textDone("msg_1", 0, 0, "ab"),
      partDone("msg_1", 0, 0, textPart("ab", citation, citation)),
      done(0, message("msg_1", "completed", textPart("ab", citation, citation))),
    ],
  },
  {
    name: "cut short in a text: the message closes incomplete",
    parts: [text("Hel")],
    end: "incomplete",
    events: textLadder("msg_1", 0, ["Hel"], "incomplete"),
  },
  {
    name: "cut short in a call: the call closes incomplete with the arguments so far, what was finished stays finished",
    parts: [text("a"), ...call(0, "{}"), started(1), delta(1, '{"a')],
    end: "incomplete",
    events: [
      ...textLadder("msg_1", 0, ["a"]),
      ...callLadder("fc_2", 1, 0, ["{}"]),
      addedCall("fc_3", 2, 1),
      argumentsDelta("fc_3", 2, '{"a'),
      argumentsDone("fc_3", 2, '{"a'),
      done(2, functionCall("fc_3", 1, '{"a', "incomplete")),
    ],
  },
  {
    name: "cut short before a call's arguments: one delta, empty, no object made up",
    parts: [started(0)],
    end: "incomplete",
    events: [
      addedCall("fc_1", 0, 0),
      argumentsDelta("fc_1", 0, ""),
      argumentsDone("fc_1", 0, ""),
      done(0, functionCall("fc_1", 0, "", "incomplete")),
    ],
  },
  { name: "cut short in nothing puts out nothing", parts: [text("")], end: "incomplete", events: [] },
  {
    name: "empty deltas open nothing and are not told",
    parts: [
      text(""),
      text("a"),
      text(""),
      started(0),
      delta(0, ""),
      delta(0, "{}"),
      delta(0, ""),
      finished(0),
      text(""),
    ],
    events: [...textLadder("msg_1", 0, ["a"]), ...callLadder("fc_2", 1, 0, ["{}"])],
  },
  {
    name: "calls past the cap are neither returned nor told, only counted",
    parts: [...call(0, "{}"), ...call(1, '{"b":2}'), started(2), delta(2, "{")],
    callsMax: 1,
    dropped: 2,
    events: callLadder("fc_1", 0, 0, ["{}"]),
  },
  {
    name: "with a cap of one, interleaved calls leave the first alone",
    parts: [started(0), started(1), delta(1, "x"), delta(0, "{}"), finished(1), finished(0)],
    callsMax: 1,
    dropped: 1,
    events: callLadder("fc_1", 0, 0, ["{}"]),
  },
  {
    name: "a call left open by a model that ended is closed as completed",
    parts: [started(0), delta(0, "{}")],
    events: callLadder("fc_1", 0, 0, ["{}"]),
  },
];

for (const { name, parts, end, callsMax, dropped, events } of cases) {
  test(name, () => {
    const climbed = climb(parts, end, callsMax);
    assert.deepEqual(climbed.events, events);
    // What is answered is what was told as done, in output order.
    const told: OutputItem[] = [];
    for (const event of events) if (event.type === "response.output_item.done") told[event.output_index] = event.item;
    assert.deepEqual(climbed.output, told);
    assert.equal(climbed.ladder.callsDropped(), dropped ?? 0);
  });
}

test("a ladder has output from its first item on, a dropped call counts too", () => {
  const ladder = createLadder(countingMint(), 0, () => {});
  assert.equal(ladder.hasOutput(), false);
  ladder.climb(text(""));
  assert.equal(ladder.hasOutput(), false);
  ladder.climb(started(0));
  assert.equal(ladder.hasOutput(), true);
  const told = createLadder(countingMint(), Infinity, () => {});
  told.climb(refusal(""));
  assert.equal(told.hasOutput(), true);
});

test("an event told is never changed by what follows", () => {
  const events: LadderEvent[] = [];
  const ladder = createLadder(countingMint(), Infinity, (event) => events.push(event));
  ladder.climb(text("a"));
  ladder.climb({ type: "annotation", annotation: citation });
  const copy = structuredClone(events);
  ladder.climb(text("b"));
  ladder.climb({ type: "annotation", annotation: citation });
  ladder.climb(refusal("c"));
  ladder.close("completed");
  assert.deepEqual(events.slice(0, copy.length), copy);
});

test("parts of a call that never started are a fault of the adapter", () => {
  assert.throws(() => climb([delta(5, "x")]), /no call of index 5/);
  assert.throws(() => climb([finished(5)]), /no call of index 5/);
  assert.throws(() => climb([...call(0, "{}"), delta(0, "x")]), /no call of index 0/);
});
