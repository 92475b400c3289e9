// A long turn as JSON that is passed through: what a client or a model made long is never parsed.
import type { JsonText } from "../../core/history/item-list.ts";
import type { LongTurn } from "../../core/turn/present-long.ts";
import { type NeedsRoom, needsRoom } from "../../ports/store/room.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { TurnStore } from "../../ports/store/turns.ts";
import { decodedOperation } from "../engine/operation.ts";
import type { Steps } from "../engine/transaction.ts";
import { decodeListed, UNREADABLE_MESSAGE } from "./item-codec.ts";
import { outputPlace, selectOutputAsListed, sumOutput } from "./output-items.ts";
import { findVisibleSizedResponse, selectLongContent, type SizedResponseRow } from "./shown-responses.ts";
import { decodeTurn } from "./turns.ts";

/** Members of a head above this stay JSON, bytes. */
const LONG_BYTES = 64 * 1024;

type LongQuery = Parameters<TurnStore["readLongTurn"]>[0];

interface LongRow extends Omit<LongTurn, "turn"> {
  readonly response: SizedResponseRow;
}

/** TurnStore.readLongTurn. */
export const readLongTurn = decodedOperation(
  "read",
  function* (tx, query: LongQuery): Steps<LongRow | NeedsRoom | null> {
    const response = yield* findVisibleSizedResponse(tx, query);
    if (response === undefined) return null;
    const place = outputPlace(response);
    const bytes = response.bytesToShow + (place === null ? 0 : yield* sumOutput(tx, place));
    if (bytes > query.room) return { kind: "needs_room", bytes };
    const content = yield* selectLongContent(tx, { id: response.id });
    const { rest, members } = takeLongMembers(content?.head ?? "", response.publicId);
    const rows = place === null ? [] : yield* selectOutputAsListed(tx, place);
    const output = rows.map((row) =>
      row.kind === "function_call_output" ? unreadable(row.publicId) : decodeListed(row),
    );
    return { response: { ...response, head: rest, ending: content?.ending ?? null }, members, output };
  },
  (row): LongTurn | NeedsRoom | null => {
    if (row === null || needsRoom(row)) return row;
    const { response, members, output } = row;
    return { turn: decodeTurn({ response, output: [] }), members, output };
  },
);

function unreadable(id: string): LongTurn["output"][number] {
  return { readable: false, id, message: UNREADABLE_MESSAGE };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Takes the long members out of the JSON of an object: `rest` has null in their place. Throws a StoreError (`failed`)
 * for a text that is cut or has more behind its end.
 */
function takeLongMembers(json: JsonText, responseId: string): { rest: string; members: Map<string, Uint8Array> } {
  const bytes = typeof json === "string" ? Buffer.from(json) : Buffer.from(json.buffer, json.byteOffset, json.length);
  const members = new Map<string, Uint8Array>();
  let rest = "";
  let copied = 0;
  let depth = 0;
  let name = "";
  let stringStart = 0;
  let valueStart = 0;
  let at = 0;

  function endValue(): void {
    if (at - valueStart <= LONG_BYTES) return;
    members.set(name, bytes.subarray(valueStart, at));
    rest += `${bytes.toString("utf8", copied, valueStart)}null`;
    copied = at;
  }

  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      stringStart = at;
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 1) endValue();
      depth--;
    } else if (depth !== 1) continue;
    else if (byte === COMMA) endValue();
    else if (byte === COLON) {
      name = bytes.toString("utf8", stringStart + 1, at - 1);
      valueStart = at + 1;
    }
  }
  if (depth !== 0) throw new StoreError("failed", `The stored head of ${responseId} cannot be read.`);
  return { rest: rest + bytes.toString("utf8", copied), members };
}
