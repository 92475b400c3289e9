/** The worst shapes of chat completions. */
import { chain, event, many, type Shapes, THOUGHT, times } from "./shape.ts";

const FINISH = `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;

function delta(value: unknown): string {
  return event({ choices: [{ index: 0, delta: value }] });
}

function call(index: number | undefined, id: string | undefined, name: string | undefined, args: unknown): string {
  return delta({ tool_calls: [{ index, id, function: { name, arguments: args } }] });
}

export const CHAT_SHAPES: Shapes = {
  "chat-whole-calls": () =>
    chain(
      many((index) => call(index, `call_${index}`, "f", "{}"), 16_000),
      FINISH,
    ),
  "chat-endless-calls": () => many((index) => call(index, `call_${index}`, "f", "{}")),
  "chat-open-calls": () =>
    chain(
      many((index) => call(index, `call_${index}`, "f", '{"a":'), 9_000),
      FINISH,
    ),
  "chat-interleaved-calls": () => many((index) => call(index % 9_000, `c${index % 9_000}`, "f", " ")),
  "chat-calls-without-index": () => many((index) => call(undefined, `call_${index}`, "f", '{"a":1}')),
  "chat-calls-of-one-index": () => many((index) => call(0, `call_${index}`, "f", '{"a":')),
  "chat-calls-together": () =>
    chain(
      delta({
        tool_calls: times(15_000, (index) => ({ index, id: `c${index}`, function: { name: "f", arguments: "{}" } })),
      }),
      FINISH,
    ),
  "chat-letters-of-arguments": () =>
    chain(
      call(0, "call", "f", '{"a":"'),
      many(() => call(0, undefined, undefined, "a")),
      FINISH,
    ),
  "chat-arguments-again": () =>
    chain(
      call(0, "call", "f", `{"a":"${"a".repeat(900_000)}"}`),
      many(() => call(0, undefined, undefined, "{"), 400_000),
      FINISH,
    ),
  "chat-arguments-twice": () =>
    chain(
      call(0, "call", "f", '{"a":'),
      many((index) => call(0, undefined, undefined, `{"a":${"[".repeat(index % 5000)}`), 20_000),
      FINISH,
    ),
  "chat-arguments-of-ends": () =>
    chain(
      call(0, "call", "f", "{"),
      many(() => call(0, undefined, undefined, "}"), 400_000),
      FINISH,
    ),
  "chat-letters-of-text": () =>
    chain(
      many(() => delta({ content: "a" })),
      FINISH,
    ),
  "chat-endless-reasoning": () => many(() => delta({ reasoning: THOUGHT })),
  "chat-letters-of-reasoning": () =>
    chain(
      many(() => delta({ reasoning: "a" })),
      FINISH,
    ),
  "chat-parts-of-text": () =>
    chain(
      many(() => delta({ content: times(80_000, () => ({ text: "a" })) })),
      FINISH,
    ),
  "chat-text-and-refusal": () =>
    chain(
      many((index) => delta(index % 2 === 0 ? { content: "a" } : { refusal: "b" })),
      FINISH,
    ),
  "chat-reasoning-and-calls": () =>
    chain(
      many((index) => (index % 2 === 0 ? delta({ reasoning: "a" }) : call(index, `c${index}`, "f", "{}"))),
      FINISH,
    ),
  "chat-halves-of-characters": () =>
    chain(
      many((index) => delta({ content: index % 2 === 0 ? "\ud83d" : "\ude00" })),
      FINISH,
    ),
  "chat-long-texts": () =>
    chain(
      many(() => delta({ content: "\u0001".repeat(150_000) })),
      FINISH,
    ),
  "chat-wide-texts": () =>
    chain(
      many(() => delta({ content: "\u4e00".repeat(300_000) })),
      FINISH,
    ),
  "chat-usages": () => many(() => event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })),
  "chat-finishes": () => many(() => event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })),
  "chat-chunks-of-lines": () =>
    many((index) => (index % 20_000 === 19_999 ? "\n" : `data: ${JSON.stringify({ choices: [] })}\n`)),
  "chat-document-of-calls": () =>
    chain(
      JSON.stringify({
        choices: [
          {
            message: {
              tool_calls: times(90_000, (index) => ({ id: `c${index}`, function: { name: "f", arguments: "{}" } })),
            },
          },
        ],
      }),
    ),
  "chat-document-of-parts": () =>
    chain(
      JSON.stringify({
        choices: [{ message: { content: times(500_000, () => ({ text: "a" })) }, finish_reason: "stop" }],
      }),
    ),
};
