// The event sequences of docs/wire.md, exactly.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../contract/events.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { OutputPart } from "./output-part.ts";
import {
  accept,
  text,
  refusal,
  started,
  delta,
  finished,
  call,
  citation,
  addedMessage,
  message,
  textPart,
  refusalPart,
  done,
  partAdded,
  partDone,
  textDelta,
  textDone,
  refusalDelta,
  refusalDone,
  functionCall,
  addedCall,
  argumentsDelta,
  argumentsDone,
  textLadder,
  callLadder,
  phased,
  phasedLadder,
  reasoning,
  reasoningItem,
  addedReasoning,
} from "../../../test/support/output-events.ts";

interface Case {
  readonly name: string;
  readonly parts: readonly OutputPart[];
  readonly end?: "incomplete";
  readonly callsMax?: number;
  readonly dropped?: number;
  readonly events: readonly ResponseEvent[];
}

const cases: readonly Case[] = [
  { name: "nothing puts out nothing", parts: [], events: [] },
  {
    name: "text has the event sequence of the specification",
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
    name: "empty deltas open nothing and emit nothing",
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
    name: "calls past the cap are neither returned nor streamed, only counted",
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
    const built = accept(parts, end, callsMax);
    assert.deepEqual(built.events, events);
    // The returned output equals the items of the done events, in output order.
    const items: OutputItem[] = [];
    for (const event of events) if (event.type === "response.output_item.done") items[event.output_index] = event.item;
    assert.deepEqual(built.output, items);
    assert.equal(built.builder.callsDropped(), dropped ?? 0);
  });
}
