// Contract: content that is longer than its reader has room for is not read, and long content is passed through.
// docs/reliability.md, A-10
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutputItem } from "../../../src/contract/items.ts";
import type { JsonPieces } from "../../../src/core/history/item-list.ts";
import { presentLongResponse } from "../../../src/core/response/present-long.ts";
import { presentResponse } from "../../../src/core/response/present.ts";
import type { ResponseEnd, ResponseHead } from "../../../src/core/response/response.ts";
import { ALL_BYTES, needsRoom, SHORT_BYTES } from "../../../src/ports/store/room.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import { ACME, answers, calls, idsOf, inRoom, makeConversation, runResponse, says, STRANGERS } from "../fixtures.ts";
import { describeStore } from "./suite.ts";

/** Everything that ends a string, opens an object or takes several bytes. */
const AWKWARD = '"\\{[,:]}漢😀\n\u0001';
const long = (text: string, characters: number) => text.repeat(Math.ceil(characters / text.length));

const failed: Partial<ResponseEnd> = { status: "failed", error: { code: "run_failed", message: "m" } };
const schema = { type: "object", properties: { tools: { const: long(AWKWARD, 200_000) } } };
const turns: readonly (readonly [string, readonly OutputItem[], Partial<ResponseHead>, Partial<ResponseEnd>])[] = [
  ["instructions", [answers("a")], { instructions: long(AWKWARD, 300_000) }, {}],
  [
    "a tool",
    [calls("c")],
    { tools: [{ type: "function", name: AWKWARD, description: null, parameters: schema, strict: true }] },
    {},
  ],
  [
    "a format",
    [],
    { text: { format: { type: "json_schema", name: "n", schema, strict: null }, verbosity: "low" } },
    failed,
  ],
  ["one item", [answers(long(AWKWARD, 400_000))], {}, {}],
  ["many items", Array.from({ length: 300 }, (_, index) => answers(`${index} ${long("漢", 900)}`)), {}, {}],
  ["output that never enters its thread", [answers("a"), answers(long("b", 300_000))], {}, failed],
  [
    "reasoning",
    [{ type: "reasoning", id: "rs_long", summary: [], encrypted_content: long("e", 300_000) }],
    { includesEncryptedContent: true },
    {},
  ],
];

const textOf = (pieces: JsonPieces) => pieces.map((piece) => Buffer.from(piece).toString()).join("");

/** The JSON of a long response with just enough room; with a byte less it is not read. */
async function readLong(store: Store, responseId: string, includes?: boolean): Promise<string> {
  const query = { caller: ACME, responseId };
  const short = await store.readShortResponse(query);
  assert.ok(needsRoom(short) && short.bytes > SHORT_BYTES);
  assert.deepEqual(await store.readLongResponse({ ...query, room: short.bytes - 1 }), short);
  const read = await store.readLongResponse({ ...query, room: short.bytes });
  assert.ok(read !== null && !needsRoom(read));
  return textOf(presentLongResponse(read, includes));
}

export const testLongContent = describeStore("long content", (suite) => {
  for (const [name, output, head, end] of turns) {
    test(`a response with long content is the same as a short one: ${name}`, async () => {
      const { store } = suite;
      const { id: responseId } = await runResponse(store, { output, head, end });
      const turn = await store.readResponse({ caller: ACME, responseId });
      assert.ok(turn !== null);
      for (const includes of [undefined, false, true]) {
        assert.equal(await readLong(store, responseId, includes), JSON.stringify(presentResponse(turn, includes)));
      }
    });
  }

  test("a short response needs no room, whatever its input", async () => {
    const { store } = suite;
    const output = Array.from({ length: 20 }, (_, index) => answers(long("x", index === 7 ? 40_000 : 100)));
    const input = [says(long("x", 1_000_000))];
    const { id: responseId } = await runResponse(store, { input, output });
    const turn = await store.readResponse({ caller: ACME, responseId });
    assert.deepEqual(await store.readShortResponse({ caller: ACME, responseId }), turn);
    const read = inRoom(await store.readLongResponse({ caller: ACME, responseId, room: ALL_BYTES }));
    assert.ok(read !== null && turn !== null);
    assert.equal(textOf(presentLongResponse(read)), JSON.stringify(presentResponse(turn)));
  });

  test("nobody else sees a response, nor its status", async () => {
    const { store } = suite;
    const { id: responseId } = await runResponse(store, { output: [answers(long("x", 300_000))] });
    assert.equal(await store.readStatus({ caller: ACME, responseId }), "completed");
    for (const [, caller] of STRANGERS) {
      assert.equal(await store.readShortResponse({ caller, responseId }), null);
      assert.equal(await store.readLongResponse({ caller, responseId, room: ALL_BYTES }), null);
      assert.equal(await store.readStatus({ caller, responseId }), null);
    }
    await store.deleteResponse({ caller: ACME, responseId });
    assert.equal(await store.readShortResponse({ caller: ACME, responseId }), null);
    assert.equal(await store.readLongResponse({ caller: ACME, responseId, room: ALL_BYTES }), null);
    assert.equal(await store.readStatus({ caller: ACME, responseId }), null);
  });

  test("items are read only within the room: one, some by their ids, a page", async () => {
    const { store } = suite;
    const items = [says(long(AWKWARD, 100_000)), says(long("漢", 60_000)), says("c")];
    const conversationId = await makeConversation(store, items);
    const ids = idsOf(items);
    const sizes = items.map(({ item }) => Buffer.byteLength(JSON.stringify(item)));
    const all = sizes.reduce((sum, size) => sum + size, 0);
    const query = { caller: ACME, conversationId };
    const page = { ...query, order: "asc", after: null, limit: 20 } as const;
    const reads: readonly (readonly [number, (room: number) => Promise<unknown>])[] = [
      [sizes[0]!, (room) => store.readItem({ ...query, itemId: ids[0]!, room })],
      [all, (room) => store.readItems({ ...query, itemIds: ids, room })],
      [all, (room) => store.listItems({ ...page, room })],
      [all, (room) => store.listItems({ ...page, order: "desc", limit: 500, room })],
    ];
    for (const [bytes, read] of reads) {
      assert.deepEqual(await read(bytes - 1), { kind: "needs_room", bytes });
      assert.deepEqual(await read(0), { kind: "needs_room", bytes });
      assert.ok(!needsRoom(await read(bytes)));
    }
    const listed = inRoom(await store.readItems({ ...query, itemIds: ids, room: all }));
    assert.deepEqual(
      listed?.map((item) => item.readable && textOf([item.text])),
      items.map(({ item }) => JSON.stringify(item)),
    );
  });
});
