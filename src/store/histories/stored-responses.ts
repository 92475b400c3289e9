// Stored responses: read, tombstoned, listed as orphans.
import type { OutputItem, UnreadableItem } from "../../contract/items.ts";
import type { StoredResponse, ResponseEnd } from "../../core/response/response.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { type BodyRow, decodeItem, UNREADABLE_MESSAGE, decodeListed } from "./item-codec.ts";
import { decodeEnding, decodeHead, decodeUsage } from "./response-codec.ts";
import { parseJson } from "../../base/json.ts";
import { type NeedsRoom, needsRoom, SHORT_BYTES } from "../../ports/store/room.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { tombstoneUnlistedItems, tombstoneItemsBetween, transferTurnOpening, selectNextOfTurn } from "./items.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import {
  findOwnResponse,
  findVisibleResponse,
  hasEntered,
  lockResponse,
  type ResponseRow,
  selectOrphans,
  tombstoneResponse,
} from "./responses.ts";
import { answeredIds, excuseCalls, pageEntered } from "./entered-responses.ts";
import { outputPlace, selectOutput, selectShortOutput, sumOutput, selectOutputAsListed } from "./output-items.ts";
import {
  findVisibleShortResponse,
  findVisibleSizedResponse,
  selectLongContent,
  type SizedResponseRow,
} from "./shown-responses.ts";
import { lockThread, selectThread, setLatestResponse } from "./threads.ts";
import type { JsonText } from "../../core/history/item-list.ts";
import type { LongResponse } from "../../core/response/present-long.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { ResponseStore } from "../../ports/store/responses.ts";

/** A response's row with the rows of its output. */
export interface StoredRow {
  readonly response: ResponseRow;
  readonly output: readonly BodyRow[];
}

interface VisibleQuery {
  readonly caller: Caller;
  readonly responseId: string;
}

/** ResponseStore.readResponse. */
export const readResponse = decodedProcedure(
  "point",
  function* (tx, query: VisibleQuery): Steps<StoredRow | null> {
    const response = yield* findVisibleResponse(tx, query);
    if (response === undefined) return null;
    const place = outputPlace(response);
    return { response, output: place === null ? [] : yield* selectOutput(tx, place) };
  },
  (row) => (row === null ? null : decodeResponse(row)),
);

/** ResponseStore.readStatus. */
export const readStatus = plainProcedure("point", function* (tx, query: VisibleQuery): Steps<
  StoredResponse["status"] | null
> {
  return (yield* findVisibleSizedResponse(tx, query))?.status ?? null;
});

/** ResponseStore.readShortResponse. */
export const readShortResponse = decodedProcedure(
  "point",
  function* (tx, query: VisibleQuery): Steps<StoredRow | NeedsRoom | null> {
    const response = yield* findVisibleShortResponse(tx, query);
    if (response === undefined) return null;
    const place = outputPlace(response);
    const isShort = response.head !== null;
    const output = place === null ? [] : isShort ? yield* selectShortOutput(tx, place) : null;
    if (isShort && output !== null) return { response, output };
    const sized = yield* findVisibleSizedResponse(tx, query);
    const bytes = (sized?.bytesToShow ?? 0) + (place === null ? 0 : yield* sumOutput(tx, place));
    if (bytes > SHORT_BYTES || place === null) return { kind: "needs_room", bytes };
    return { response, output: yield* selectOutput(tx, place) };
  },
  (row) => (row === null || needsRoom(row) ? row : decodeResponse(row)),
);

/** A response, from its row. */
export function decodeResponse({ response, output }: StoredRow): StoredResponse {
  const head = decodeHead(response);
  const { status, completedAt, providerState } = response;
  if (status === "queued" || status === "in_progress") return { head, status, end: null };
  return {
    head,
    status,
    end: {
      ...decodeEnding(response),
      status,
      completedAt: completedAt ?? head.createdAt,
      ...decodeOutput(output),
      usage: decodeUsage(response),
      providerState: providerState === null ? null : (parseJson(providerState) ?? null),
    },
  };
}

/** The readable items of a response's output, and the ids of the unreadable ones. */
function decodeOutput(rows: readonly BodyRow[]): Pick<ResponseEnd, "output" | "unreadable"> {
  const output: OutputItem[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const row of rows) {
    const item = decodeItem(row);
    if (item !== null && item.type !== "function_call_output") output.push(item);
    else unreadable.push({ type: "item_unreadable", id: row.publicId, message: UNREADABLE_MESSAGE });
  }
  return unreadable.length === 0 ? { output } : { output, unreadable };
}

/** ResponseStore.deleteResponse. */
export const deleteResponse = plainProcedure(
  "write",
  function* (tx, query: { caller: Caller; responseId: string }, nowMs): Steps<boolean> {
    const found = yield* findOwnResponse(tx, query);
    if (found === undefined) return false;
    yield* lockThread(tx, { id: found.threadId });
    yield* lockResponse(tx, query);
    // As it is now: until the locks another deletion may have come first.
    const response = yield* findOwnResponse(tx, query);
    if (response === undefined) return false;
    if (response.deletedAtMs !== null) return true;
    yield* tombstoneResponse(tx, { id: response.id, nowMs });
    yield* tombstoneUnlistedItems(tx, { responseId: response.publicId, nowMs });
    if (!hasEntered(response)) return true;
    for (const id of answeredIds(response)) yield* excuseCalls(tx, { id });
    const { id, threadId, firstPosition, lastPosition } = response;
    const range = { threadId, first: firstPosition, last: lastPosition };
    yield* tombstoneItemsBetween(tx, { ...range, nowMs });
    const next = yield* selectNextOfTurn(tx, { threadId, turnId: response.turnId, position: lastPosition });
    yield* transferTurnOpening(tx, range, next);
    const thread = yield* selectThread(tx, { id: threadId });
    if (thread?.latestResponse === id) {
      yield* setLatestResponse(tx, { id: threadId, latestResponse: yield* findLatest(tx, threadId) });
    }
    return true;
  },
);

/** The last live response that entered a thread. */
function* findLatest(tx: Transaction, threadId: number): Steps<number | null> {
  return (yield* pageEntered(tx, threadId).next())?.id ?? null;
}

/** ResponseStore.listOrphans of the embedded engine, whose lock lets no other process run responses. */
export const listOrphans = plainProcedure("point", (tx) => selectOrphans(tx, { instanceId: tx.settings.instanceId }));

/** Members of a head above this stay JSON, bytes. */
const LONG_BYTES = 64 * 1024;

type LongQuery = Parameters<ResponseStore["readLongResponse"]>[0];

interface LongRow extends Omit<LongResponse, "response"> {
  readonly response: SizedResponseRow;
}

/** ResponseStore.readLongResponse. */
export const readLongResponse = decodedProcedure(
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
      row.kind === "function_call_output" ? unreadableItem(row.publicId) : decodeListed(row),
    );
    return { response: { ...response, head: rest, ending: content?.ending ?? null }, members, output };
  },
  (row): LongResponse | NeedsRoom | null => {
    if (row === null || needsRoom(row)) return row;
    const { response, members, output } = row;
    return { response: decodeResponse({ response, output: [] }), members, output };
  },
);

function unreadableItem(id: string): LongResponse["output"][number] {
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
