// Whatever names a server gives its items, and wherever it puts their content, the response is the same.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../support/fast-check.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { decodeBytes } from "./decode-bytes.ts";

/** How the events name an item. `drifting`: with another id in every event; `one id`, `one name`: all with one id, and one call_id. */
const NAMINGS = ["full", "no index", "one index", "no ids", "drifting", "one id", "one name"] as const;
type Naming = (typeof NAMINGS)[number];

/** Where an item's content is. */
interface Places {
  readonly deltas: boolean;
  readonly itsDone: boolean;
  readonly item: boolean;
  readonly list: boolean;
}

interface Item extends Places {
  readonly type: "message" | "function_call" | "reasoning";
  readonly isAnnounced: boolean;
}

const ITEM: fc.Arbitrary<Item> = fc
  .record({
    type: fc.constantFrom("message", "function_call", "reasoning"),
    isAnnounced: fc.boolean(),
    deltas: fc.boolean(),
    itsDone: fc.boolean(),
    item: fc.boolean(),
    list: fc.boolean(),
  })
  .map((item) => ({
    ...item,
    // The arguments of a call that no event has announced are in its end.
    isAnnounced: item.isAnnounced || (item.type === "function_call" && !item.item),
    // Somewhere the content has to be.
    item: item.item || !(item.deltas || item.itsDone),
  }));

/** The events of a response with these items, one after the other. */
function eventsOf(items: readonly Item[], naming: Naming): object[] {
  let serial = 0;
  const events: object[] = [];
  const output: object[] = [];
  for (const [at, item] of items.entries()) {
    const { type, deltas, itsDone, list } = item;
    const text = textOf(at, type);
    const isOneId = naming === "one id" || naming === "one name";
    const id = () => (naming === "drifting" ? `id_${serial++}` : isOneId ? "id" : `id_${at}`);
    const index = naming === "no index" ? {} : { output_index: naming === "one index" ? 0 : at };
    const about = () => ({ ...(naming === "no ids" ? {} : { item_id: id() }), ...index, content_index: 0 });
    const whole = (isFull: boolean) => ({
      ...(naming === "no ids" ? {} : { id: id() }),
      ...itemOf(type, at, isFull ? text : ""),
      ...(naming === "one name" && type === "function_call" ? { call_id: "call" } : {}),
    });
    const add = (name: string, more: object) => events.push({ type: `response.${name}`, ...about(), ...more });

    if (item.isAnnounced) add("output_item.added", { item: whole(false) });
    const [delta, done, field] = EVENTS[type];
    if (deltas) for (const piece of [text.slice(0, 4), text.slice(4)]) add(delta, { delta: piece });
    if (itsDone) add(done, { [field]: text });
    add("output_item.done", { item: whole(item.item) });
    output.push(whole(list));
  }
  events.push({ type: "response.completed", response: { status: "completed", output } });
  return events;
}

const EVENTS = {
  message: ["output_text.delta", "output_text.done", "text"],
  function_call: ["function_call_arguments.delta", "function_call_arguments.done", "arguments"],
  reasoning: ["reasoning_text.delta", "reasoning_text.done", "text"],
} as const;

function textOf(at: number, type: Item["type"]): string {
  return type === "function_call" ? `{"n":${at}}` : `Text ${at}. `;
}

function itemOf(type: Item["type"], at: number, text: string): object {
  if (type === "function_call") return { type, call_id: `call_${at + 1}`, name: "f", arguments: text };
  const part = { type: type === "message" ? "output_text" : "reasoning_text", text };
  return { type, role: "assistant", content: text === "" ? [] : [part] };
}

function decode(events: readonly object[]) {
  const { parts, failure } = decodeBytes(events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)));
  assert.equal(failure, null);
  return foldParts(parts);
}

test("items are the same with any names, and wherever their content is", () => {
  fc.assert(
    fc.property(fc.array(ITEM, { minLength: 1, maxLength: 5 }), fc.constantFrom(...NAMINGS), (items, naming) => {
      const { text, calls, reasoning } = decode(eventsOf(items, naming));
      const textsOf = (type: Item["type"]) =>
        items.flatMap((item, at) => (item.type === type ? [textOf(at, type)] : []));
      assert.equal(text, textsOf("message").join(""));
      assert.deepEqual(
        calls.map((call) => call.arguments),
        textsOf("function_call"),
      );
      assert.deepEqual(reasoning, textsOf("reasoning"));
      assert.equal(new Set(calls.map(({ callId }) => callId)).size, calls.length);
    }),
    { numRuns: 2_000 },
  );
});
