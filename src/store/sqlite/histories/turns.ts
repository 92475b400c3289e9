// Stored turns: read, tombstoned, found without an owner.
import type { OutputItem } from "../../../contract/items.ts";
import type { Turn, TurnHead } from "../../../core/turn/turn.ts";
import type { Caller } from "../../../ports/histories.ts";
import type { Orphan } from "../../../ports/turns.ts";
import { StoreError } from "../../../ports/store.ts";
import { type BodyRow, decodeItem, decodeUsage, type Ending } from "./codec.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import {
  deleteItemsAside,
  deleteItemsBetween,
  handOnOpening,
  selectLastResponseId,
  selectListedOutput,
  selectOutputAside,
} from "./items.ts";
import { asIs, coded, plain } from "../database/operation.ts";
import {
  findOwnResponse,
  findVisibleResponse,
  hasEntered,
  type ResponseRow,
  selectOrphans,
  selectResponseRowid,
  tombstoneResponse,
} from "./responses.ts";
import { selectThread, setLatestResponse } from "./threads.ts";

/** A response's row with the rows of its output. */
interface TurnRow {
  readonly response: ResponseRow;
  readonly output: readonly BodyRow[];
}

/** TurnStore.readTurn. */
export const readTurn = coded({
  side: "point",
  encode: asIs<{ caller: Caller; responseId: string }>,
  run: (connection, query): TurnRow | null => {
    const response = findVisibleResponse(connection, query);
    return response === undefined ? null : { response, output: selectOutputOf(connection, response) };
  },
  decode: (row: TurnRow | null): Turn | null => (row === null ? null : decodeTurn(row)),
});

function selectOutputOf(connection: Connection, response: ResponseRow): BodyRow[] {
  if (response.completedAt === null) return [];
  const { publicId, threadId, firstPosition, lastPosition } = response;
  const listed = selectListedOutput(connection, { threadId, first: firstPosition, last: lastPosition });
  const aside = selectOutputAside(connection, { responseId: publicId });
  return aside.length === 0 ? listed : [...listed, ...aside].sort((one, other) => one.ordinal - other.ordinal);
}

function decodeTurn({ response, output }: TurnRow): Turn {
  const head = decodeHead(response);
  const { status, completedAt } = response;
  if (status === "queued" || status === "in_progress") return { head, status, end: null };
  const ending = parseEnding(response);
  const state = response.providerState;
  return {
    head,
    status,
    end: {
      ...ending,
      status,
      completedAt: completedAt ?? head.createdAt,
      output: output.map(decodeOutputItem),
      usage: decodeUsage(response),
      providerState: state === null ? null : parseStored(state, `provider state of ${response.publicId}`),
    },
  };
}

/** Nearly every turn ends in the same words. */
const PLAIN_ENDING: Ending = { error: null, incompleteReason: null, toolCallsDropped: 0, warnings: [], failure: null };
const PLAIN_ENDING_TEXT = JSON.stringify(PLAIN_ENDING);

function parseEnding({ ending, publicId }: Pick<ResponseRow, "ending" | "publicId">): Ending {
  return ending === PLAIN_ENDING_TEXT ? PLAIN_ENDING : parseStored<Ending>(ending ?? "", `end of ${publicId}`);
}

/** The head of a response's row. */
export function decodeHead({ head, publicId }: Pick<ResponseRow, "head" | "publicId">): TurnHead {
  return parseStored<TurnHead>(head ?? "", `head of ${publicId}`);
}

/** An answer with a hole in it would be another answer: one unreadable item makes its response unreadable. */
function decodeOutputItem(row: BodyRow): OutputItem {
  const item = decodeItem(row);
  if (item !== null && item.type !== "function_call_output") return item;
  throw new StoreError("failed", `The stored output item ${row.publicId} cannot be read.`);
}

/** TurnStore.deleteResponse. */
export const deleteResponse = plain(
  "write",
  (connection, query: { caller: Caller; responseId: string }, nowMs): boolean => {
    const response = findOwnResponse(connection, query);
    if (response === undefined) return false;
    if (response.deletedAtMs !== null) return true;
    tombstoneResponse(connection, { id: response.id, nowMs });
    deleteItemsAside(connection, { responseId: response.publicId, nowMs });
    if (!hasEntered(response)) return true;
    const { id, threadId, firstPosition, lastPosition } = response;
    const stretch = { threadId, first: firstPosition, last: lastPosition };
    deleteItemsBetween(connection, { ...stretch, nowMs });
    handOnOpening(connection, stretch);
    const thread = selectThread(connection, { id: threadId });
    if (thread?.latestResponse === id) {
      setLatestResponse(connection, { id: threadId, latestResponse: findLatest(connection, threadId) });
    }
    return true;
  },
);

/** The last live response in a thread; found by its items, of which every response that entered has one at least. */
function findLatest(connection: Connection, threadId: number): number | null {
  const last = selectLastResponseId(connection, { threadId });
  return last === undefined ? null : (selectResponseRowid(connection, last)?.id ?? null);
}

/** TurnStore.listOrphans: asked once, before anybody is served. */
export const listOrphans = plain("point", (connection): readonly Orphan[] =>
  selectOrphans(connection, { owner: connection.settings.owner }).map((head) => ({ head })),
);
