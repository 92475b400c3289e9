/** The worst shapes of OpenAI Responses. */
import { chain, event, many, type Shapes, THOUGHT, times } from "./shape.ts";

function named(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return event(value, value.type);
}

function added(index: number, item: object): string {
  return named({ type: "response.output_item.added", output_index: index, item });
}

function done(index: number, item: object): string {
  return named({ type: "response.output_item.done", output_index: index, item });
}

function text(index: number, contentIndex: number, delta: string): string {
  return named({ type: "response.output_text.delta", output_index: index, content_index: contentIndex, delta });
}

const END = named({ type: "response.completed", response: { status: "completed", output: [] } });
const ANNOTATION = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 };

function call(index: number, args: string): object {
  return { type: "function_call", id: `fc_${index}`, call_id: `call_${index}`, name: "f", arguments: args };
}

export const OPENAI_SHAPES: Shapes = {
  "openai-calls": () =>
    chain(
      many((index) => done(index, call(index, "{}")), 9_000),
      END,
    ),
  "openai-endless-calls": () =>
    chain(
      many((index) => done(index, call(index, "{}"))),
      END,
    ),
  "openai-open-calls": () =>
    chain(
      many((index) => added(index, call(index, "")), 9_000),
      END,
    ),
  "openai-letters-of-arguments": () =>
    chain(
      added(0, call(0, "")),
      many(() => named({ type: "response.function_call_arguments.delta", output_index: 0, delta: "a" })),
      END,
    ),
  "openai-letters-of-text": () =>
    chain(
      many(() => text(0, 0, "a")),
      END,
    ),
  "openai-messages-in-turn": () =>
    chain(
      many((index) => text(index % 2, 0, "a")),
      END,
    ),
  "openai-messages": () =>
    chain(
      many((index) => text(index, 0, "a")),
      END,
    ),
  "openai-parts-of-a-message": () =>
    chain(
      many((index) => text(0, index, "a")),
      END,
    ),
  "openai-texts-and-refusals": () =>
    chain(
      many((index) =>
        index % 2 === 0
          ? text(0, index, "a")
          : named({ type: "response.refusal.delta", output_index: 0, content_index: index, delta: "b" }),
      ),
      END,
    ),
  "openai-annotations": () =>
    chain(
      text(0, 0, "a"),
      many(() =>
        named({
          type: "response.output_text.annotation.added",
          output_index: 0,
          content_index: 0,
          annotation: ANNOTATION,
        }),
      ),
      END,
    ),
  "openai-annotations-together": () =>
    chain(
      done(0, {
        type: "message",
        content: [{ type: "output_text", text: "a", annotations: times(10_000, () => ANNOTATION) }],
      }),
      END,
    ),
  "openai-parts-together": () =>
    chain(done(0, { type: "message", content: times(25_000, () => ({ type: "output_text", text: "a" })) }), END),
  "openai-endless-reasoning": () =>
    chain(
      added(0, { type: "reasoning", summary: [] }),
      many(() =>
        named({ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: THOUGHT }),
      ),
    ),
  "openai-reasoning": () =>
    chain(
      many((index) => done(index, { type: "reasoning", summary: [{ type: "summary_text", text: "a" }] })),
      END,
    ),
  "openai-summaries": () =>
    chain(
      many((index) => done(index, { type: "reasoning", summary: times(30_000, () => ({ text: "a" })) })),
      END,
    ),
  "openai-ends": () =>
    chain(
      added(0, call(0, "")),
      many(() => done(0, { ...call(0, ""), status: "incomplete" })),
      END,
    ),
  "openai-output-at-the-end": () =>
    chain(
      named({
        type: "response.completed",
        response: { status: "completed", output: times(9_000, (index) => call(index, "{}")) },
      }),
    ),
};
