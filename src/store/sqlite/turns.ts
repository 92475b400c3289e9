// Turns as transactions: begun, started, settled, taken back, read, tombstoned.
import type { TerminalStatus } from "../../contract/statuses.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { Turn, TurnHead } from "../../core/turn/turn.ts";
import {
  type BeginOutcome,
  type Caller,
  type Claim,
  type Orphan,
  type Placement,
  type SettledItem,
  StoreError,
  type TurnBegin,
  type TurnSettle,
} from "../../ports/store.ts";
import { isLiveKey } from "./accounts.ts";
import { claimKey, freeKey } from "./claims.ts";
import {
  decodeItem,
  decodeUsage,
  type Ending,
  encodeEnding,
  encodeItem,
  encodeState,
  encodeUsage,
  type ItemColumns,
  type ItemRow,
  parseStored,
  type UsageColumns,
} from "./codec.ts";
import type { Connection } from "./connection.ts";
import {
  appendItems,
  deleteItemsAside,
  deleteItemsBetween,
  keepAside,
  selectLastResponseId,
  selectOutput,
} from "./items.ts";
import { asIs, coded, plain } from "./operation.ts";
import {
  deleteResponseRow,
  findOwnResponse,
  findVisibleResponse,
  hasEntered,
  insertResponse,
  markStarted,
  type ResponseRow,
  selectOrphanHeads,
  selectResponseRowid,
  selectRunning,
  tombstoneResponse,
  updateSettled,
} from "./responses.ts";
import {
  deleteEmptyThread,
  insertBranch,
  insertThread,
  moveHeadWithLatest,
  segmentsOf,
  selectThread,
  setLatestResponse,
  type ThreadHead,
  type ThreadRow,
} from "./threads.ts";

/** A turn to begin, its head as the text that is stored. */
interface SentBegin extends Pick<TurnHead, "model" | "turnId" | "previousResponseId" | "createdAt"> {
  readonly caller: Caller;
  readonly responseId: TurnHead["id"];
  readonly head: string;
  readonly status: TurnBegin["status"];
  readonly placement: Placement;
  readonly streamed: boolean;
  readonly claim: Claim | null;
}

/** TurnStore.beginTurn. */
export const beginTurn = coded({
  side: "write",
  encode: ({ head, ...begin }: TurnBegin): SentBegin => ({
    ...begin,
    responseId: head.id,
    model: head.model,
    turnId: head.turnId,
    previousResponseId: head.previousResponseId,
    createdAt: head.createdAt,
    head: JSON.stringify(head),
  }),
  run: (connection, begin: SentBegin, nowMs): BeginOutcome => {
    const { caller, claim, responseId } = begin;
    if (!isLiveKey(connection, caller)) return { kind: "gone" };
    const continued = begin.placement.kind === "new" ? null : findContinued(connection, caller, begin.placement);
    if (continued === undefined) return { kind: "gone" };
    let claimId: number | null = null;
    if (claim !== null) {
      const made = { kind: "response", responseId, streamed: begin.streamed } as const;
      const answer = claimKey(connection, claim, { ...caller, nowMs }, made);
      if ("claimed" in answer) return { kind: "claimed", claimed: answer.claimed };
      claimId = answer.claimId;
    }
    const { threadId, seenHead } = place(connection, begin, continued);
    insertResponse(connection, {
      publicId: responseId,
      organizationId: caller.organizationId,
      keyId: caller.keyId,
      threadId,
      status: begin.status,
      owner: connection.settings.owner,
      claimId,
      model: begin.model,
      turnId: begin.turnId,
      previousResponseId: begin.previousResponseId,
      seenHead,
      createdAt: begin.createdAt,
      dispatchedAtMs: begin.status === "in_progress" ? nowMs : null,
      head: begin.head,
    });
    return { kind: "begun" };
  },
  decode: asIs<BeginOutcome>,
});

/** The thread that a view ends in, while it is the caller's and not deleted. */
function findContinued(
  connection: Connection,
  caller: Caller,
  placement: Exclude<Placement, { kind: "new" }>,
): ThreadRow | undefined {
  const last = placement.view.segments.at(-1);
  if (last === undefined) throw new StoreError("failed", "A view without a thread cannot be continued.");
  const thread = selectThread(connection, { id: last.threadId });
  if (thread === undefined || thread.deletedAtMs !== null) return undefined;
  return thread.keyId === caller.keyId && thread.organizationId === caller.organizationId ? thread : undefined;
}

/** Where the turn's items will stand; a new thread is made now, so that the turn is reached by its root's tombstone. */
function place(
  connection: Connection,
  { caller, createdAt, placement }: SentBegin,
  continued: ThreadRow | null,
): { threadId: number; seenHead: number | null } {
  if (placement.kind === "new" || continued === null) {
    const { id } = insertThread(connection, {
      publicId: null,
      organizationId: caller.organizationId,
      keyId: caller.keyId,
      rootId: null,
      lineage: "[]",
      createdAt,
      metadata: null,
    });
    return { threadId: id, seenHead: null };
  }
  const { segments } = placement.view;
  if (placement.kind === "branch") {
    return { threadId: insertBranch(connection, { from: continued, segments, caller, createdAt }), seenHead: null };
  }
  return { threadId: continued.id, seenHead: placement.mayFork ? (segments.at(-1)?.upTo ?? 0) : null };
}

/** TurnStore.startTurn. */
export const startTurn = plain("write", (connection, { responseId }: { responseId: string }, nowMs) => {
  return markStarted(connection, { responseId, nowMs }).changes === 1;
});

/** A turn to settle, its content as the texts that are stored. */
interface SentSettle {
  readonly responseId: string;
  readonly status: TerminalStatus;
  readonly completedAt: number;
  readonly usage: UsageColumns;
  readonly ending: string;
  readonly providerState: string | null;
  readonly input: readonly ItemColumns[];
  /** The output that the history lists, and the output that only the response shows. */
  readonly listed: readonly ItemColumns[];
  readonly aside: readonly ItemColumns[];
  readonly entersHistory: boolean;
}

/** TurnStore.settleTurn. */
export const settleTurn = coded({
  side: "write",
  encode: ({ responseId, end, input, output, entersHistory }: TurnSettle): SentSettle => ({
    responseId,
    ...divideOutput(output, entersHistory),
    status: end.status,
    completedAt: end.completedAt,
    usage: encodeUsage(end.usage),
    ending: encodeEnding(end),
    providerState: encodeState(end.providerState),
    input: entersHistory ? input.map((item) => encodeItem(item, null)) : [],
    entersHistory,
  }),
  run: (connection, settle: SentSettle): boolean => {
    const running = selectRunning(connection, settle);
    if (running === undefined) return false;
    const thread = selectThread(connection, { id: running.threadId });
    if (thread === undefined) throw new StoreError("failed", `The thread of ${settle.responseId} is missing.`);
    const settled = { id: running.id, status: settle.status, completedAt: settle.completedAt, ...settle.usage };
    const content = { ending: settle.ending, providerState: settle.providerState };
    const nowhere = { threadId: thread.id, firstPosition: null, lastPosition: null };

    // Deleted while it ran: what it would have said can never be read, only what it cost is kept.
    if (running.deletedAtMs !== null || thread.deletedAtMs !== null) {
      updateSettled(connection, { ...settled, ...nowhere, ending: null, providerState: null });
      return true;
    }
    const { responseId } = settle;
    keepAside(connection, { threadId: thread.id, items: settle.aside, responseId });
    if (!settle.entersHistory) {
      updateSettled(connection, { ...settled, ...nowhere, ...content });
      return true;
    }
    const entered = hasGrown(thread, running.seenHead) ? fork(connection, thread, running) : thread;
    const items = [...settle.input, ...settle.listed];
    const end = appendItems(connection, { thread: entered, items, responseId });
    moveHeadWithLatest(connection, { id: entered.id, ...end, latestResponse: running.id });
    updateSettled(connection, {
      ...settled,
      ...content,
      threadId: entered.id,
      firstPosition: entered.headPosition + 1,
      lastPosition: end.headPosition,
    });
    return true;
  },
  decode: asIs<boolean>,
});

function divideOutput(
  output: readonly SettledItem[],
  entersHistory: boolean,
): { listed: readonly ItemColumns[]; aside: readonly ItemColumns[] } {
  const listed: ItemColumns[] = [];
  const aside: ItemColumns[] = [];
  for (const [ordinal, item] of output.entries()) {
    (entersHistory && item.listed ? listed : aside).push(encodeItem(item, ordinal));
  }
  return { listed, aside };
}

/** Whether others' items entered the thread since a turn that may fork saw it. */
function hasGrown(thread: ThreadRow, seenHead: number | null): seenHead is number {
  return seenHead !== null && thread.headPosition > seenHead;
}

/** A private thread that keeps the history as the turn saw it. */
function fork(
  connection: Connection,
  thread: ThreadRow,
  running: { seenHead: number | null; organizationId: string; keyId: string; createdAt: number },
): ThreadHead & { id: number } {
  const segments = segmentsOf(thread, running.seenHead ?? 0);
  const id = insertBranch(connection, { from: thread, segments, caller: running, createdAt: running.createdAt });
  return { id, headPosition: 0, sizeTotal: 0, turnsTotal: 0 };
}

/** TurnStore.withdrawTurn. */
export const withdrawTurn = plain("write", (connection, query: { responseId: string }): boolean => {
  const running = selectRunning(connection, query);
  if (running === undefined) return false;
  deleteResponseRow(connection, { id: running.id });
  deleteEmptyThread(connection, { id: running.threadId });
  if (running.claimId !== null) freeKey(connection, { claimId: running.claimId, responseId: query.responseId });
  return true;
});

/** A response's row with the rows of its output. */
interface TurnRow {
  readonly response: ResponseRow;
  readonly output: readonly ItemRow[];
}

/** TurnStore.readTurn. */
export const readTurn = coded({
  side: "read",
  encode: asIs<{ caller: Caller; responseId: string }>,
  run: (connection, query): TurnRow | null => {
    const response = findVisibleResponse(connection, query);
    return response === undefined ? null : { response, output: selectOutputOf(connection, response) };
  },
  decode: (row: TurnRow | null): Turn | null => (row === null ? null : decodeTurn(row)),
});

function selectOutputOf(connection: Connection, response: ResponseRow): ItemRow[] {
  if (response.completedAt === null) return [];
  const { publicId, threadId, firstPosition, lastPosition } = response;
  return selectOutput(connection, { responseId: publicId, threadId, first: firstPosition, last: lastPosition });
}

function decodeTurn({ response, output }: TurnRow): Turn {
  const head = decodeHead(response);
  const { status, completedAt } = response;
  if (status === "queued" || status === "in_progress") return { head, status, end: null };
  const ending = parseStored<Ending>(response.ending ?? "", `end of ${response.publicId}`);
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

/** The head of a response's row. */
export function decodeHead({ head, publicId }: Pick<ResponseRow, "head" | "publicId">): TurnHead {
  return parseStored<TurnHead>(head ?? "", `head of ${publicId}`);
}

/** An answer with a hole in it would be another answer: one unreadable item makes its response unreadable. */
function decodeOutputItem(row: ItemRow): OutputItem {
  const listed = decodeItem(row);
  if (listed.readable && listed.entry.item.type !== "function_call_output") return listed.entry.item;
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
    deleteItemsBetween(connection, { threadId, first: firstPosition, last: lastPosition, nowMs });
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

/** TurnStore.listOrphans. A head that cannot be read is left out: nothing could be settled from it. */
export const listOrphans = coded({
  side: "read",
  encode: asIs<void>,
  run: (connection) => selectOrphanHeads(connection, { owner: connection.settings.owner }),
  decode: (rows: { head: string }[]): readonly Orphan[] => rows.flatMap(decodeOrphan),
});

function decodeOrphan({ head }: { head: string }): Orphan[] {
  try {
    return [{ head: parseStored<TurnHead>(head, "head of a turn") }];
  } catch {
    return [];
  }
}
