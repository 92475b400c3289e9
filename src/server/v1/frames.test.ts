import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { Value } from "typebox/value";
import { EVENTS, type ResponseEvent } from "../../contract/events.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { createFramer, PADDING_BLOCK_BYTES, padDelta } from "./frames.ts";

const response = { id: "resp_1", object: "response", status: "in_progress" } as ResponseObject;

const textDelta = (delta: string, more: { item_id?: string; content_index?: number } = {}): ResponseEvent => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta,
  logprobs: [],
  ...more,
});

/** A frame's type and payload, by the rules of server-sent events. */
function parseFrame(frame: string): { event: string; data: Record<string, unknown> } {
  const match = /^event: ([^\n]+)\ndata: ([^\n\r]+)\n\n$/.exec(frame);
  assert.ok(match, JSON.stringify(frame));
  return { event: match[1] ?? "", data: JSON.parse(match[2] ?? "") };
}

test("frames, byte for byte", () => {
  const frameEvent = createFramer({ includeObfuscation: false });
  assert.equal(
    frameEvent({ type: "response.created", response }),
    'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress"},"sequence_number":0}\n\n',
  );
  assert.equal(
    frameEvent(textDelta('Hi "you"\n')),
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hi \\"you\\"\\n","logprobs":[],"sequence_number":1}\n\n',
  );
  assert.equal(
    frameEvent({ type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: "{}" }),
    'event: response.function_call_arguments.delta\ndata: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{}","sequence_number":2}\n\n',
  );
  assert.equal(
    frameEvent({
      type: "response.output_text.done",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      text: "Hi",
      logprobs: [],
    }),
    'event: response.output_text.done\ndata: {"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":"Hi","logprobs":[],"sequence_number":3}\n\n',
  );
});

const deltas: readonly ResponseEvent[] = [
  textDelta("text"),
  { type: "response.refusal.delta", item_id: "msg_1", output_index: 0, content_index: 1, delta: "no" },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: '{"a":1}' },
];

for (const event of deltas) {
  test(`a ${event.type} is padded unless the client turned padding off`, () => {
    const padded = parseFrame(createFramer({ includeObfuscation: true })(event)).data;
    const plain = parseFrame(createFramer({ includeObfuscation: false })(event)).data;
    assert.match(String(padded["obfuscation"]), /^[A-Za-z0-9]*$/);
    assert.ok(!("obfuscation" in plain));
    assert.deepEqual({ ...plain, obfuscation: padded["obfuscation"] }, padded);
    assert.deepEqual({ ...event, sequence_number: 0 }, plain);
    assert.ok(Value.Check(EVENTS[event.type], padded));
  });
}

test("only deltas are padded", () => {
  const frameEvent = createFramer({ includeObfuscation: true });
  assert.ok(!("obfuscation" in parseFrame(frameEvent({ type: "response.created", response })).data));
});

test("a frame contains its whole event, numbered from 0, for any text", () => {
  const event = fc.oneof(
    fc.string({ unit: "binary", maxLength: 500 }).map((delta) => textDelta(delta)),
    fc
      .record({ delta: fc.string(), item: fc.constantFrom("msg_1", "msg_2"), part: fc.constantFrom(0, 1) })
      .map(({ delta, item, part }) => textDelta(delta, { item_id: item, content_index: part })),
    fc.string({ unit: "binary", maxLength: 500 }).map(
      (text): ResponseEvent => ({
        type: "response.refusal.done",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        refusal: text,
      }),
    ),
    fc.constant<ResponseEvent>({ type: "response.in_progress", response }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const frameEvent = createFramer({ includeObfuscation: false });
      for (const [number, sent] of events.entries()) {
        const { event: type, data } = parseFrame(frameEvent(sent));
        assert.equal(type, sent.type);
        assert.deepEqual(data, JSON.parse(JSON.stringify({ ...sent, sequence_number: number })));
      }
    }),
  );
});

test("a response object in two successive events is serialised once", () => {
  let serialised = 0;
  const counted = { ...response, toJSON: () => ({ id: `resp_${++serialised}` }) } as unknown as ResponseObject;
  const frameEvent = createFramer({ includeObfuscation: true });
  frameEvent({ type: "response.created", response: counted });
  assert.deepEqual(parseFrame(frameEvent({ type: "response.in_progress", response: counted })).data["response"], {
    id: "resp_1",
  });
  assert.equal(serialised, 1);
  frameEvent({ type: "response.completed", response: { ...counted } });
  assert.equal(serialised, 2);
});

const bytesInJson = (json: string) => Buffer.byteLength(json) - 2;

test("a delta's JSON and its padding fill whole blocks, and the padding is never empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (delta) => {
      const json = JSON.stringify(delta);
      const padding = padDelta(json);
      assert.match(padding, /^[A-Za-z0-9]{1,16}$/);
      assert.equal((bytesInJson(json) + padding.length) % PADDING_BLOCK_BYTES, 0);
    }),
    { numRuns: 2000 },
  );
});

test("escapes and non-ASCII text are measured in bytes", () => {
  assert.equal(padDelta('""').length, 16);
  assert.equal(padDelta('"a"').length, 15);
  assert.equal(padDelta('"é"').length, 14);
  assert.equal(padDelta('"\\n"').length, 14);
  assert.equal(padDelta('"😀"').length, 12);
  assert.equal(padDelta(JSON.stringify("\ud800")).length, 10);
  assert.equal(padDelta(JSON.stringify("x".repeat(16))).length, 16);
});

test("padding does not run out", () => {
  for (let round = 0; round < 20_000; round++) assert.equal(padDelta('"a"').length, 15);
});

test("padding does not repeat itself", () => {
  const seen = new Set(Array.from({ length: 100 }, () => padDelta('"a"')));
  assert.ok(seen.size > 95);
});
