// Citations of a model, on the two wires that have them: their offsets count in the text that clients get.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeResponses } from "./openai/decode-bytes.ts";

type Decoded = ReturnType<typeof decodeChat>;

const bytesOf = (events: readonly object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const citationsOf = ({ parts }: Pick<Decoded, "parts">) =>
  parts.flatMap((part) => (part.type === "annotation" ? [part.annotation] : []));
const textOf = ({ parts }: Pick<Decoded, "parts">) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const citation = (url: string, start_index: number, end_index: number, title = url) => ({
  type: "url_citation",
  url,
  title,
  start_index,
  end_index,
});

const nested = ({ type, ...url_citation }: ReturnType<typeof citation>) => ({ type, url_citation });
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const [ONE, TWO] = [citation("https://one", 0, 3), citation("https://two", 4, 7, "Two")] as const;

test("chat completions: citations come with a delta or a whole message, and once", () => {
  const wholes = { role: "assistant", content: "One Two", annotations: [nested(ONE), nested(TWO), { type: "file" }] };
  const streams = [
    [chunk({ content: "One Two" }), chunk({ annotations: [nested(ONE)] }), chunk({ annotations: [TWO] })],
    [chunk({ content: "One Two", annotations: [nested(ONE), nested(TWO)] }), chunk({}, { message: wholes })],
    [chunk({ content: "One Two" }), chunk({}, { message: wholes })],
    // OpenRouter repeats them in later chunks, and some come before the text.
    [
      chunk({ content: "One Two", annotations: [ONE] }),
      chunk({ annotations: [ONE, TWO] }),
      chunk({}, { message: wholes }),
    ],
    [chunk({ annotations: [ONE] }), chunk({ content: "", annotations: [ONE, TWO] }), chunk({ content: "One Two" })],
    [{ choices: [{ message: wholes }] }],
  ];
  for (const stream of streams) {
    const decoded = decodeChat([bytesOf([...stream, chunk({}, { finish_reason: "stop" })])]);
    assert.deepEqual([textOf(decoded), citationsOf(decoded)], ["One Two", [ONE, TWO]]);
  }
});

test("chat completions: citations without a text, or behind a call that divides it, have no place", () => {
  const call = { tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: "{}" } }] };
  const early = chunk({ annotations: [nested(ONE)] });
  const late = chunk({ content: " Two", annotations: [nested(TWO)] });
  for (const stream of [[chunk({ content: "One" }), chunk(call), late], [early, chunk(call), late], [early]]) {
    const decoded = decodeChat([bytesOf([...stream, chunk({}, { finish_reason: "stop" })])]);
    assert.deepEqual(citationsOf(decoded), []);
  }
});

const part = (text: string, ...annotations: object[]) => ({ type: "output_text", text, annotations });
const message = (...content: object[]) => ({ type: "message", id: "m", role: "assistant", content });
const place = (content_index: number) => ({ item_id: "m", output_index: 0, content_index });
const added = { type: "response.output_item.added", output_index: 0, item: message() };
const delta = (at: number, text: string) => ({ type: "response.output_text.delta", ...place(at), delta: text });
const cite = (at: number, annotation: object) => ({
  type: "response.output_text.annotation.added",
  ...place(at),
  annotation,
});
const done = (...content: object[]) => ({
  type: "response.output_item.done",
  output_index: 0,
  item: message(...content),
});
const completed = (...content: object[]) => ({
  type: "response.completed",
  response: { status: "completed", output: [message(...content)] },
});

test("responses: citations of a second part point into the text of both, wherever they come, and once", () => {
  // In its own part the second begins at 0.
  const parts = [part("Öne ", citation("https://one", 0, 3)), part("Two", citation("https://two", 0, 3, "Two"))];
  const texts = [added, delta(0, "Öne "), delta(1, "Two")];
  const plain = [part("Öne "), part("Two")];
  const cites = [cite(0, citation("https://one", 0, 3)), cite(1, citation("https://two", 0, 3, "Two"))];
  for (const stream of [
    [...texts, ...cites, done(...parts), completed(...parts)],
    [...texts, done(...parts), completed(...parts)],
    [...texts, done(...plain), completed(...parts)],
    [...texts, done(), completed(...parts)],
    [...texts, completed(...parts)],
    [added, completed(...parts)],
    [completed(...parts)],
  ]) {
    const decoded = decodeResponses([bytesOf(stream)]);
    assert.deepEqual([textOf(decoded), citationsOf(decoded)], ["Öne Two", [ONE, TWO]], JSON.stringify(stream));
  }
});
