import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item, OutputItem } from "../../contract/items.ts";
import { assistantMessage, endOf, headOf } from "../../../test/support/turns.ts";
import type { ListedItem } from "../history/item-list.ts";
import { type LongTurn, presentLongResponse } from "./present-long.ts";
import { presentResponse } from "./present.ts";
import type { Turn, TurnHead } from "./turn.ts";

const tools: TurnHead["tools"] = [{ type: "function", name: "t", description: '"\\漢', parameters: {}, strict: null }];
const whole = headOf({ instructions: 'the "output":[] of a model', tools, metadata: { output: "[]" } });
const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "secret" };
const output = [reasoning, assistantMessage("msg_1", "Hi 漢"), assistantMessage("msg_2", "there")] as OutputItem[];

const asText = (item: Item): ListedItem => ({ readable: true, id: item.id, text: JSON.stringify(item) });
const asBytes = (item: Item): ListedItem => ({
  readable: true,
  id: item.id,
  text: new TextEncoder().encode(JSON.stringify(item)),
});

/** The turn with these members of its head as JSON, and with its output as stored. */
function longTurn(turn: Turn, names: readonly (keyof TurnHead)[], stored: readonly ListedItem[]): LongTurn {
  const taken = Object.fromEntries(names.map((name) => [name, null]));
  const end = turn.end === null ? null : { ...turn.end, output: [], unreadable: undefined };
  return {
    turn: { ...turn, head: { ...turn.head, ...taken }, end } as unknown as Turn,
    members: new Map(names.map((name) => [name, new TextEncoder().encode(JSON.stringify(turn.head[name]))])),
    output: stored,
  };
}

function textOf(long: LongTurn, includes?: boolean): string {
  const pieces = presentLongResponse(long, includes);
  return pieces.map((piece) => (typeof piece === "string" ? piece : new TextDecoder().decode(piece))).join("");
}

const settled: Turn = { head: whole, status: "completed", end: endOf({ output }) };
const members = ["instructions", "tools", "text", "toolChoice", "metadata", "reasoning", "safetyIdentifier"] as const;
const stored = [asText(reasoning), asBytes(output[1]!), asText(output[2]!)];

test("a long response has the same JSON as a short one", () => {
  for (const includes of [true, false, undefined]) {
    const expected: string = JSON.stringify(presentResponse(settled, includes));
    assert.equal(textOf(longTurn(settled, members, stored), includes), expected);
    assert.equal(textOf(longTurn(settled, [], stored), includes), expected);
  }
});

test("while it runs, too", () => {
  const running: Turn = { head: whole, status: "in_progress", end: null };
  assert.equal(textOf(longTurn(running, members, [])), JSON.stringify(presentResponse(running)));
});

test("its unreadable items stand apart", () => {
  const broken: ListedItem = { readable: false, id: "msg_9", message: "it is damaged" };
  const unreadable = [{ type: "item_unreadable" as const, id: "msg_9", message: "it is damaged" }];
  const turn: Turn = { ...settled, end: { ...settled.end, output: [output[1]!], unreadable } };
  assert.equal(textOf(longTurn(turn, ["tools"], [asBytes(output[1]!), broken])), JSON.stringify(presentResponse(turn)));
});
