// Parts of a provider, and the events that the output builder emits for them.
import type { ResponseEvent } from "../../src/contract/events.ts";
import type { MessagePhase, OutputItem, UrlCitation } from "../../src/contract/items.ts";
import { createOutputBuilder, type OutputBuilder } from "../../src/core/response/output-builder.ts";
import type { OutputPart } from "../../src/core/response/output-part.ts";
import { countingMint } from "./responses.ts";

interface BuiltOutput {
  readonly events: ResponseEvent[];
  readonly output: OutputItem[];
  readonly builder: OutputBuilder;
}

/** What a builder makes of these parts. */
export function accept(
  parts: readonly OutputPart[],
  end: "completed" | "incomplete" = "completed",
  callsMax = Infinity,
): BuiltOutput {
  const events: ResponseEvent[] = [];
  // Copies, to show what the events were when they were emitted.
  const builder = createOutputBuilder(countingMint(), callsMax, (event) => events.push(structuredClone(event)));
  for (const part of parts) builder.accept(part);
  return { events, output: builder.close(end), builder };
}

export const text = (words: string): OutputPart => ({ type: "text", text: words });

export const refusal = (words: string): OutputPart => ({ type: "refusal", text: words });

export const started = (index: number): OutputPart => ({
  type: "call_started",
  index,
  callId: `call_${index}`,
  name: "add",
});

export const delta = (index: number, words: string): OutputPart => ({ type: "call_arguments", index, delta: words });

export const finished = (index: number): OutputPart => ({ type: "call_finished", index });

export const call = (index: number, ...deltas: string[]): OutputPart[] => [
  started(index),
  ...deltas.map((words) => delta(index, words)),
  finished(index),
];

export const citation: UrlCitation = {
  type: "url_citation",
  url: "https://a.test",
  title: "A",
  start_index: 0,
  end_index: 1,
};

// The expected events, written short: m = message, f = function call, at its output index.
export const addedMessage = (id: string, at: number): ResponseEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: { type: "message", id, role: "assistant", status: "in_progress", content: [] },
});

export const message = (id: string, status: "completed" | "incomplete", ...content: object[]) =>
  ({ type: "message", id, role: "assistant", status, content }) as unknown as OutputItem;

export const textPart = (words: string, ...annotations: UrlCitation[]) => ({
  type: "output_text" as const,
  text: words,
  annotations,
  logprobs: [],
});

export const refusalPart = (words: string) => ({ type: "refusal" as const, refusal: words });

export const done = (at: number, item: OutputItem): ResponseEvent => ({
  type: "response.output_item.done",
  output_index: at,
  item,
});

export const partAdded = (
  id: string,
  at: number,
  part: number,
  shape: ReturnType<typeof textPart | typeof refusalPart>,
) =>
  ({
    type: "response.content_part.added",
    item_id: id,
    output_index: at,
    content_index: part,
    part: shape,
  }) as ResponseEvent;

export const partDone = (
  id: string,
  at: number,
  part: number,
  shape: ReturnType<typeof textPart | typeof refusalPart>,
) =>
  ({
    type: "response.content_part.done",
    item_id: id,
    output_index: at,
    content_index: part,
    part: shape,
  }) as ResponseEvent;

export const textDelta = (id: string, at: number, part: number, words: string): ResponseEvent => ({
  type: "response.output_text.delta",
  item_id: id,
  output_index: at,
  content_index: part,
  delta: words,
  logprobs: [],
});

export const textDone = (id: string, at: number, part: number, words: string): ResponseEvent => ({
  type: "response.output_text.done",
  item_id: id,
  output_index: at,
  content_index: part,
  text: words,
  logprobs: [],
});

export const refusalDelta = (id: string, at: number, part: number, words: string): ResponseEvent => ({
  type: "response.refusal.delta",
  item_id: id,
  output_index: at,
  content_index: part,
  delta: words,
});

export const refusalDone = (id: string, at: number, part: number, words: string): ResponseEvent => ({
  type: "response.refusal.done",
  item_id: id,
  output_index: at,
  content_index: part,
  refusal: words,
});

export const functionCall = (
  id: string,
  index: number,
  args: string,
  status: "in_progress" | "completed" | "incomplete",
) => ({ type: "function_call", id, call_id: `call_${index}`, name: "add", arguments: args, status }) as const;

export const addedCall = (id: string, at: number, index: number): ResponseEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: functionCall(id, index, "", "in_progress"),
});

export const argumentsDelta = (id: string, at: number, words: string): ResponseEvent => ({
  type: "response.function_call_arguments.delta",
  item_id: id,
  output_index: at,
  delta: words,
});

export const argumentsDone = (id: string, at: number, words: string): ResponseEvent => ({
  type: "response.function_call_arguments.done",
  item_id: id,
  output_index: at,
  arguments: words,
});

/** The events of a whole message of one text. */
export const textLadder = (
  id: string,
  at: number,
  deltas: string[],
  status: "completed" | "incomplete" = "completed",
) => {
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

export const callLadder = (id: string, at: number, index: number, deltas: string[]) => [
  addedCall(id, at, index),
  ...deltas.map((one) => argumentsDelta(id, at, one)),
  argumentsDone(id, at, deltas.join("")),
  done(at, functionCall(id, index, deltas.join(""), "completed")),
];

export const phased = (phase: MessagePhase | null): OutputPart => ({ type: "message_started", phase });

/** The same for a message with a phase: its item has the key when it is added and when it is done. */
export const phasedLadder = (id: string, at: number, deltas: string[], phase: MessagePhase): ResponseEvent[] =>
  textLadder(id, at, deltas).map((event) =>
    "item" in event ? ({ ...event, item: { ...event.item, phase } } as ResponseEvent) : event,
  );

export const reasoning = (encryptedContent: string | null): OutputPart => ({
  type: "reasoning",
  summary: ["a", "b"],
  encryptedContent,
});

export const reasoningItem = (id: string, more: object = {}) =>
  ({
    type: "reasoning",
    id,
    summary: [
      { type: "summary_text", text: "a" },
      { type: "summary_text", text: "b" },
    ],
    ...more,
  }) as OutputItem;

export const addedReasoning = (id: string, at: number): ResponseEvent => ({
  type: "response.output_item.added",
  output_index: at,
  item: { type: "reasoning", id, summary: [] },
});
