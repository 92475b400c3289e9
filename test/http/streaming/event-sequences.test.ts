// The event sequences on the wire. @spec events; docs/wire.md (Event sequences)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asPlain } from "../../support/failing-targets.ts";
import type { Loose, Streamed } from "../../support/http-client.ts";
import { calls, FINISHED, fails, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { without } from "../../support/without.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];

const names = ({ events }: Streamed) => events.map(({ event }) => event.replace("response.", ""));

const find = ({ events }: Streamed, name: string) =>
  events.filter(({ event }) => event === `response.${name}`).map(({ data }) => data);

const TEXT_ITEM = (deltas: number) => [
  "output_item.added",
  "content_part.added",
  ...Array(deltas).fill("output_text.delta"),
  "output_text.done",
  "content_part.done",
  "output_item.done",
];

const CALL_ITEM = (deltas: number) => [
  "output_item.added",
  ...Array(deltas).fill("function_call_arguments.delta"),
  "function_call_arguments.done",
  "output_item.done",
];

const START = ["created", "in_progress"];

test("a plain text: the sequence of the specification, every payload whole", async () => {
  service.provider.plays([[{ type: "text", text: "Hel" }], [{ type: "text", text: "lo" }], FINISHED]);
  const streamed = await service.stream({ input: "Hi" });
  assert.equal(streamed.status, 200);
  assert.deepEqual(
    ["content-type", "cache-control", "x-accel-buffering", "content-encoding"].map((name) => streamed.headers[name]),
    ["text/event-stream; charset=utf-8", "no-store", "no", undefined],
  );
  assert.match(streamed.headers["x-request-id"] ?? "", /./);
  assert.deepEqual(names(streamed), [...START, ...TEXT_ITEM(2), "completed"]);
  const [created, , added, , , , textDone, partDone, itemDone, completed] = streamed.events.map(({ data }) => data);
  const { response } = completed;
  const running: Loose = { ...asPlain(response), status: "in_progress", completed_at: null, output: [] };
  delete running.usage;
  assert.deepEqual(created, { type: "response.created", response: running, sequence_number: 0 });
  assert.equal("usage" in created.response, false);
  const place = { item_id: added.item.id, output_index: 0, content_index: 0 };
  const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const message = { type: "message", id: added.item.id, role: "assistant" };
  assert.deepEqual(
    streamed.events.slice(1).map(({ data }) => without(data, "obfuscation")),
    [
      { type: "response.in_progress", response: running, sequence_number: 1 },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...message, status: "in_progress", content: [] },
        sequence_number: 2,
      },
      { type: "response.content_part.added", ...place, part: part(""), sequence_number: 3 },
      { type: "response.output_text.delta", ...place, delta: "Hel", logprobs: [], sequence_number: 4 },
      { type: "response.output_text.delta", ...place, delta: "lo", logprobs: [], sequence_number: 5 },
      { ...textDone, type: "response.output_text.done", ...place, text: "Hello", logprobs: [], sequence_number: 6 },
      { ...partDone, type: "response.content_part.done", ...place, part: part("Hello"), sequence_number: 7 },
      { ...itemDone, item: { ...message, status: "completed", content: [part("Hello")] }, sequence_number: 8 },
      { type: "response.completed", response, sequence_number: 9 },
    ],
  );
  assert.deepEqual(response.output, [itemDone.item]);
  assert.deepEqual(response.usage, USAGE);
});

test("each frame is an event line, one line of JSON and an empty line; no id, no [DONE]", async () => {
  service.provider.plays([[{ type: "text", text: "a\n\ndata: b\r\u2028" }], FINISHED]);
  const { text } = await service.stream({ input: "Hi" });
  assert.match(text, /^(event: [a-z_.]+\ndata: \{[^\n\r]*\}\n\n)+$/);
});

const rows: readonly (readonly [string, Parameters<typeof service.provider.plays>[0], readonly string[]])[] = [
  ["a function call", calls({ callId: "a", args: '{"q":1}' }), [...START, ...CALL_ITEM(1), "completed"]],
  [
    "a call without arguments has one delta all the same",
    [
      [
        { type: "call_started", index: 0, callId: "a", name: "f" },
        { type: "call_finished", index: 0 },
      ],
      FINISHED,
    ],
    [...START, ...CALL_ITEM(1), "completed"],
  ],
  [
    "text before a call: the message closes whole before the call opens",
    [[{ type: "text", text: "Let me see." }], ...calls({ callId: "a" })],
    [...START, ...TEXT_ITEM(1), ...CALL_ITEM(1), "completed"],
  ],
  [
    "a refusal with words",
    [
      [
        { type: "text", text: "Well." },
        { type: "refusal", text: "No." },
      ],
      FINISHED,
    ],
    [
      ...START,
      ...TEXT_ITEM(1).slice(0, -1),
      "content_part.added",
      "refusal.delta",
      "refusal.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ],
  ],
  [
    "a refusal without words has no delta",
    [[{ type: "refusal", text: "" }], FINISHED],
    [
      ...START,
      "output_item.added",
      "content_part.added",
      "refusal.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ],
  ],
  [
    "reasoning: added and done alone",
    [[{ type: "reasoning", summary: ["s"], encryptedContent: "opaque" }], ...says("a")],
    [...START, "output_item.added", "output_item.done", ...TEXT_ITEM(1), "completed"],
  ],
  [
    "a citation",
    [
      [
        { type: "text", text: "a" },
        {
          type: "annotation",
          annotation: { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 },
        },
      ],
      FINISHED,
    ],
    [
      ...START,
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.annotation.added",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ],
  ],
  ["nothing at all", [FINISHED], [...START, "completed"]],
  ["a failure before any output is response.failed alone", [fails("provider_error")], [...START, "failed"]],
  [
    "a failure in the middle closes what is open first",
    [[{ type: "text", text: "a" }], fails("provider_unavailable")],
    [...START, ...TEXT_ITEM(1), "failed"],
  ],
  [
    "an early end is response.incomplete",
    [
      [
        { type: "text", text: "a" },
        { type: "finished", incompleteReason: "max_output_tokens" },
      ],
    ],
    [...START, ...TEXT_ITEM(1), "incomplete"],
  ],
];

describe("event sequences", () => {
  for (const [name, script, expected] of rows) {
    test(name, async () => {
      service.provider.plays(script);
      const streamed = await service.stream({ input: "Hi", tools: TOOLS });
      assert.deepEqual(names(streamed), expected);
      const response = streamed.events.at(-1)?.data.response;
      assert.deepEqual(
        find(streamed, "output_item.done").map(({ item }) => item),
        response.output,
      );
      assert.deepEqual((await service.request("GET", `/v1/responses/${response.id}`)).json, response);
    });
  }
});

test("two calls at once: each delta names its item", async () => {
  service.provider.plays([
    [
      { type: "call_started", index: 0, callId: "a", name: "f" },
      { type: "call_started", index: 1, callId: "b", name: "g" },
      { type: "call_arguments", index: 1, delta: '{"b"' },
      { type: "call_arguments", index: 0, delta: '{"a":1}' },
      { type: "call_arguments", index: 1, delta: ":2}" },
      { type: "call_finished", index: 1 },
      { type: "call_finished", index: 0 },
    ],
    FINISHED,
  ]);
  const streamed = await service.stream({ input: "Hi", tools: TOOLS });
  const [a, b] = find(streamed, "output_item.added");
  assert.deepEqual([a.output_index, b.output_index, a.item.arguments, a.item.status], [0, 1, "", "in_progress"]);
  assert.deepEqual(
    find(streamed, "function_call_arguments.delta").map(({ item_id, output_index, delta }) => [
      item_id,
      output_index,
      delta,
    ]),
    [
      [b.item.id, 1, '{"b"'],
      [a.item.id, 0, '{"a":1}'],
      [b.item.id, 1, ":2}"],
    ],
  );
  assert.deepEqual(
    streamed.events.at(-1)?.data.response.output.map(({ call_id, arguments: given }: Loose) => [call_id, given]),
    [
      ["a", '{"a":1}'],
      ["b", '{"b":2}'],
    ],
  );
});

test("an item cut short by a failure or an early end is closed as incomplete", async () => {
  service.provider.plays([
    [
      { type: "call_started", index: 0, callId: "a", name: "f" },
      { type: "call_arguments", index: 0, delta: '{"q' },
    ],
    fails("provider_error"),
  ]);
  const streamed = await service.stream({ input: "Hi", tools: TOOLS });
  const [{ item }] = find(streamed, "output_item.done");
  assert.deepEqual([item.status, item.arguments], ["incomplete", '{"q']);
});

test("dropped calls have no events at all", async () => {
  service.provider.plays(calls({ callId: "a" }, { callId: "b" }));
  const streamed = await service.stream({ input: "Hi", tools: TOOLS, max_tool_calls: 1 });
  assert.deepEqual(names(streamed), [...START, ...CALL_ITEM(1), "completed"]);
  assert.equal(streamed.events.at(-1)?.data.response["svc:tool_calls_dropped"], 1);
});

test("encrypted reasoning is streamed only on request", async () => {
  const script = [[{ type: "reasoning", summary: [], encryptedContent: "opaque" }], FINISHED] as const;
  service.provider.plays(script, script);
  const unasked = await service.stream({ input: "Hi" });
  assert.equal(unasked.text.includes("opaque"), false);
  const asked = await service.stream({ input: "Hi", include: ["reasoning.encrypted_content"] });
  assert.equal(find(asked, "output_item.done")[0].item.encrypted_content, "opaque");
});
