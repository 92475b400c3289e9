// Fold: the events of a stream, reduced by the official client's accumulator, give the object that a retrieve gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { accumulateResponse } from "openai/lib/responses/ResponseAccumulator";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { Check } from "typebox/value";
import { EVENTS, type ResponseEvent } from "../../src/contract/events.ts";
import { createOutputBuilder } from "../../src/core/response/output-builder.ts";
import type { OutputPart } from "../../src/core/response/output-part.ts";
import { presentResponse } from "../../src/core/response/present.ts";
import { asRunning, replayBeginning, replayRest, terminalEvent } from "../../src/core/response/replay.ts";
import type { StoredResponse } from "../../src/core/response/response.ts";
import { countingMint, endOf, headOf } from "../support/responses.ts";

/** Steps of a script; an impossible step is left out, so that every script is a valid order of parts. */
type Step = {
  readonly kind: "text" | "refusal" | "annotation" | "reasoning" | "start" | "arguments" | "finish";
  readonly text: string;
  readonly pick: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("text", "refusal", "annotation", "reasoning", "start", "arguments", "finish"),
  text: fc.oneof(fc.string({ maxLength: 6 }), fc.string({ unit: "grapheme", maxLength: 4 }), fc.constant("")),
  pick: fc.nat({ max: 50 }),
});

function toParts(steps: readonly Step[]): OutputPart[] {
  const open: number[] = [];
  const parts: OutputPart[] = [];
  for (const [at, { kind, text, pick }] of steps.entries()) {
    const index = open[pick % Math.max(1, open.length)];
    if (kind === "text" || kind === "refusal") parts.push({ type: kind, text });
    else if (kind === "annotation") {
      const annotation = {
        type: "url_citation",
        url: `https://${pick}.test`,
        title: text,
        start_index: 0,
        end_index: pick,
      } as const;
      parts.push({ type: "annotation", annotation });
    } else if (kind === "reasoning") {
      parts.push({
        type: "reasoning",
        summary: text === "" ? [] : [text],
        encryptedContent: pick % 2 === 0 ? null : text,
      });
    } else if (kind === "start") {
      open.push(at);
      parts.push({ type: "call_started", index: at, callId: `call_${at}`, name: "add" });
    } else if (index !== undefined) {
      if (kind === "arguments") parts.push({ type: "call_arguments", index, delta: text });
      else {
        open.splice(open.indexOf(index), 1);
        parts.push({ type: "call_finished", index });
      }
    }
  }
  return parts;
}

interface Lived {
  readonly turn: StoredResponse;
  /** With created and in_progress before it and the terminal event after it. */
  readonly events: readonly ResponseEvent[];
}

function live(
  parts: readonly OutputPart[],
  cap: number,
  status: "completed" | "incomplete" | "cancelled" | "failed",
): Lived {
  const head = headOf({ includesEncryptedContent: true });
  const running = presentResponse({ head, status: "in_progress", end: null }, true);
  const events: ResponseEvent[] = [
    { type: "response.created", response: running },
    { type: "response.in_progress", response: running },
  ];
  const builder = createOutputBuilder(countingMint(), cap, (event) => events.push(event));
  for (const part of parts) builder.accept(part);
  const output = builder.close(status === "completed" ? "completed" : "incomplete");
  const turn: StoredResponse = {
    head,
    status,
    end: endOf({ status, output, toolCallsDropped: builder.callsDropped() }),
  };
  events.push(terminalEvent(presentResponse(turn, true)));
  return { turn, events };
}

/** The events numbered and encoded, as a client parses them. */
function onTheWire(events: readonly ResponseEvent[]): ResponseStreamEvent[] {
  return events.map((event, index) => {
    const whole = { ...event, sequence_number: index };
    assert.ok(Check(EVENTS[event.type], whole), `${event.type} has its published shape`);
    return JSON.parse(JSON.stringify(whole)) as ResponseStreamEvent;
  });
}

function fold(events: readonly ResponseStreamEvent[]): Response {
  let snapshot: Response | undefined;
  for (const event of events) snapshot = accumulateResponse(event, snapshot);
  return snapshot ?? assert.fail("no event");
}

/** The accumulator adds a field of its own, the joined text of all messages. */
function withoutHelpers(response: Response): object {
  const { output_text: _, ...rest } = response as Response & { output_text?: string };
  return rest;
}

const scripts = fc.tuple(
  fc.array(step, { maxLength: 25 }).map(toParts),
  fc.oneof(fc.constant(Infinity), fc.nat({ max: 4 })),
  fc.constantFrom("completed", "incomplete", "cancelled", "failed"),
);

test("any script folds to the object that is presented, its terminal event included", () => {
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const { turn, events } = live(parts, cap, status);
      const presented = JSON.parse(JSON.stringify(presentResponse(turn, true)));
      assert.deepEqual(withoutHelpers(fold(onTheWire(events))), presented);
    }),
    { numRuns: 200 },
  );
});

// The terminal event has the whole object and would hide a missing event, so this law stops before it.
test("any script folds to the presented output by its deltas alone, before the terminal event", () => {
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const { turn, events } = live(parts, cap, status);
      const presented = JSON.parse(JSON.stringify(presentResponse(turn, true).output));
      assert.deepEqual(fold(onTheWire(events.slice(0, -1))).output, presented);
    }),
    { numRuns: 300 },
  );
});

test("any script folds to the presented output without its done events of parts, texts and arguments", () => {
  const ends = /^response\.(output_text|refusal|function_call_arguments|content_part)\.done$/;
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const { turn, events } = live(parts, cap, status);
      const presented = JSON.parse(JSON.stringify(presentResponse(turn, true).output));
      const wire = onTheWire(events.slice(0, -1)).filter((event) => !ends.test(event.type));
      assert.deepEqual(fold(wire).output, presented);
    }),
    { numRuns: 100 },
  );
});

test("the deltas of every text, refusal and call join to the text of their done events", () => {
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const joined = new Map<string, string>();
      for (const event of live(parts, cap, status).events) {
        if (!("item_id" in event)) continue;
        const key = `${event.item_id}/${"content_index" in event ? event.content_index : ""}`;
        if ("delta" in event) joined.set(key, (joined.get(key) ?? "") + event.delta);
        if (event.type === "response.output_text.done") assert.equal(event.text, joined.get(key) ?? "");
        if (event.type === "response.refusal.done") assert.equal(event.refusal, joined.get(key) ?? "");
        if (event.type === "response.function_call_arguments.done") {
          assert.equal(event.arguments, joined.get(key), "one delta at least");
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("output indexes are assigned in order, every item is added once and done once, calls keep to the limit", () => {
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const { turn, events } = live(parts, cap, status);
      const output = turn.end?.output ?? [];
      const added = events.flatMap((event) =>
        event.type === "response.output_item.added" ? [event.output_index] : [],
      );
      const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.output_index] : []));
      const indexes = output.map((_, index) => index);
      assert.deepEqual(added, indexes);
      assert.deepEqual(
        done.sort((left, right) => left - right),
        indexes,
      );
      const calls = output.filter((item) => item.type === "function_call").length;
      const started = parts.filter((part) => part.type === "call_started").length;
      assert.equal(calls, Math.min(cap, started));
      assert.equal(turn.end?.toolCallsDropped, started - calls);
    }),
    { numRuns: 100 },
  );
});

test("replayed events fold to the same object, with one terminal event, by their deltas too", () => {
  fc.assert(
    fc.property(scripts, ([parts, cap, status]) => {
      const { turn } = live(parts, cap, status);
      const presented = JSON.parse(JSON.stringify(presentResponse(turn, true)));
      const running = presentResponse(asRunning(turn), true);
      const events = onTheWire([...replayBeginning(running), ...replayRest(running, presentResponse(turn, true))]);
      assert.deepEqual(withoutHelpers(fold(events)), presented);
      assert.deepEqual(fold(events.slice(0, -1)).output, presented.output);
    }),
    { numRuns: 150 },
  );
});

test("the law can fail: the fold detects a lost delta", () => {
  const { turn, events } = live(
    [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    Infinity,
    "completed",
  );
  const kept = events.filter((event) => !(event.type === "response.output_text.delta" && event.delta === "b"));
  const open = kept.filter((event) => !/(part|text|item)\.done$|completed$/.test(event.type));
  assert.notDeepEqual(fold(onTheWire(open)).output, presentResponse(turn, true).output);
});
