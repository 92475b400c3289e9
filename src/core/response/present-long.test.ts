// docs/reliability.md, A-11
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item, OutputItem } from "../../contract/items.ts";
import { assistantMessage, endOf, headOf } from "../../../test/support/responses.ts";
import type { ListedItem } from "../history/item-list.ts";
import { type LongResponse, presentLongResponse } from "./present-long.ts";
import { presentResponse } from "./present.ts";
import type { StoredResponse, ResponseHead } from "./response.ts";

const tools: ResponseHead["tools"] = [
  { type: "function", name: "t", description: '"\\漢', parameters: {}, strict: null },
];
const whole = headOf({ instructions: 'the "output":[] of a model', tools, metadata: { output: "[]" } });
const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "secret" };
const output = [reasoning, assistantMessage("msg_1", "Hi 漢"), assistantMessage("msg_2", "there")] as OutputItem[];

const asText = (item: Item): ListedItem => ({ readable: true, id: item.id, text: JSON.stringify(item) });
const asBytes = (item: Item): ListedItem => ({
  readable: true,
  id: item.id,
  text: new TextEncoder().encode(JSON.stringify(item)),
});

/** The response with these members of its head as JSON, and with its output as stored. */
function longResponse(
  response: StoredResponse,
  names: readonly (keyof ResponseHead)[],
  stored: readonly ListedItem[],
): LongResponse {
  const taken = Object.fromEntries(names.map((name) => [name, null]));
  const end = response.end === null ? null : { ...response.end, output: [], unreadable: undefined };
  return {
    response: { ...response, head: { ...response.head, ...taken }, end } as unknown as StoredResponse,
    members: new Map(names.map((name) => [name, new TextEncoder().encode(JSON.stringify(response.head[name]))])),
    output: stored,
  };
}

function textOf(long: LongResponse, includes?: boolean): string {
  const pieces = presentLongResponse(long, includes);
  return pieces.map((piece) => (typeof piece === "string" ? piece : new TextDecoder().decode(piece))).join("");
}

const settled: StoredResponse = { head: whole, status: "completed", end: endOf({ output }) };
const members = ["instructions", "tools", "text", "toolChoice", "metadata", "reasoning", "safetyIdentifier"] as const;
const stored = [asText(reasoning), asBytes(output[1]!), asText(output[2]!)];

test("a long response has the same JSON as a short one", () => {
  for (const includes of [true, false, undefined]) {
    const expected: string = JSON.stringify(presentResponse(settled, includes));
    assert.equal(textOf(longResponse(settled, members, stored), includes), expected);
    assert.equal(textOf(longResponse(settled, [], stored), includes), expected);
  }
});

test("while it runs, too", () => {
  const running: StoredResponse = { head: whole, status: "in_progress", end: null };
  assert.equal(textOf(longResponse(running, members, [])), JSON.stringify(presentResponse(running)));
});

test("its unreadable items stand apart", () => {
  const broken: ListedItem = { readable: false, id: "msg_9", message: "it is damaged" };
  const unreadable = [{ type: "item_unreadable" as const, id: "msg_9", message: "it is damaged" }];
  const response: StoredResponse = { ...settled, end: { ...settled.end, output: [output[1]!], unreadable } };
  assert.equal(
    textOf(longResponse(response, ["tools"], [asBytes(output[1]!), broken])),
    JSON.stringify(presentResponse(response)),
  );
});
