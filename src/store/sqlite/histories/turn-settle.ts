// The end of a turn: the second of its two transactions, or its withdrawal. @spec states-and-transitions
import type { TerminalStatus } from "../../../contract/statuses.ts";
import type { NewItem } from "../../../core/history/history-item.ts";
import type { Charge } from "../../../ports/funds.ts";
import type { SettledItem, TurnSettle } from "../../../ports/turns.ts";
import { StoreError } from "../../../ports/store.ts";
import { freeKey } from "./claims.ts";
import {
  encodeEnding,
  encodeItem,
  encodeState,
  encodeUsage,
  ITEM_PACKING,
  type ItemColumns,
  type UsageColumns,
} from "./codec.ts";
import type { Connection } from "../database/connection.ts";
import { settleHold, voidHold } from "../money/holds.ts";
import { appendItems, keepAside } from "./items.ts";
import { asIs, coded, plain } from "../database/operation.ts";
import { type Packed, packing } from "../database/packing.ts";
import { deleteResponseRow, type RunningRow, selectEnteredAfter, selectRunning, updateSettled } from "./responses.ts";
import {
  deleteEmptyThread,
  insertBranch,
  moveHeadWithLatest,
  segmentsOf,
  selectThread,
  type ThreadHead,
  type ThreadRow,
} from "./threads.ts";

/** A turn to settle, its content as the texts that are stored. */
interface SentSettle extends UsageColumns {
  readonly responseId: string;
  readonly status: TerminalStatus;
  readonly completedAt: number;
  readonly ending: string;
  readonly providerState: string | null;
  /** What the history lists, input and output. */
  readonly listed: readonly Packed<ItemColumns>[];
  /** The output that only the response shows. */
  readonly aside: readonly Packed<ItemColumns>[];
  readonly entersHistory: boolean;
}

const PACKING = packing<SentSettle>({
  responseId: true,
  status: true,
  completedAt: true,
  inputTokens: true,
  cachedTokens: true,
  cacheWriteTokens: true,
  outputTokens: true,
  reasoningTokens: true,
  totalTokens: true,
  ending: true,
  providerState: true,
  listed: true,
  aside: true,
  entersHistory: true,
});

/** TurnStore.settleTurn. */
export const settleTurn = coded({
  side: "write",
  encode: ({ responseId, end, input, output, entersHistory }: TurnSettle) =>
    PACKING.pack({
      responseId,
      status: end.status,
      completedAt: end.completedAt,
      ...encodeUsage(end.usage),
      ending: encodeEnding(end),
      providerState: encodeState(end.providerState),
      ...divideItems(input, output, entersHistory),
      entersHistory,
    }),
  run: (connection, sent): Charge | null => {
    const settle = PACKING.unpack(sent);
    const running = selectRunning(connection, settle);
    if (running === undefined) return null;
    const thread = selectThread(connection, { id: running.threadId });
    if (thread === undefined) throw new StoreError("failed", `The thread of ${settle.responseId} is missing.`);
    const charge = settleHold(connection, running, settle);
    const settled = { ...settle, id: running.id, chargedNano: charge.chargedNano };
    const nowhere = { threadId: thread.id, firstPosition: null, lastPosition: null };

    // Deleted while it ran: what it would have said can never be read, only what it cost is kept.
    if (running.deletedAtMs !== null || thread.deletedAtMs !== null) {
      updateSettled(connection, { ...settled, ...nowhere, ending: null, providerState: null });
      return charge;
    }
    const { responseId } = settle;
    keepAside(connection, { threadId: thread.id, items: settle.aside.map(ITEM_PACKING.unpack), responseId });
    if (!settle.entersHistory) {
      updateSettled(connection, { ...settled, ...nowhere });
      return charge;
    }
    const entered = wasOvertaken(connection, thread, running, responseId) ? fork(connection, thread, running) : thread;
    const items = settle.listed.map(ITEM_PACKING.unpack);
    const end = appendItems(connection, { thread: entered, items, responseId });
    moveHeadWithLatest(connection, { id: entered.id, ...end, latestResponse: running.id });
    updateSettled(connection, {
      ...settled,
      threadId: entered.id,
      firstPosition: entered.headPosition + 1,
      lastPosition: end.headPosition,
    });
    return charge;
  },
  decode: asIs<Charge | null>,
});

function divideItems(
  input: readonly NewItem[],
  output: readonly SettledItem[],
  entersHistory: boolean,
): Pick<SentSettle, "listed" | "aside"> {
  const listed = entersHistory ? input.map((item) => ITEM_PACKING.pack(encodeItem(item, null))) : [];
  const aside: Packed<ItemColumns>[] = [];
  for (const [ordinal, item] of output.entries()) {
    (entersHistory && item.listed ? listed : aside).push(ITEM_PACKING.pack(encodeItem(item, ordinal)));
  }
  return { listed, aside };
}

/**
 * Whether another response entered the thread since a turn that may fork saw it; items that a client added part no turns. An answer to calls
 * goes where they stand, whatever other turns came meanwhile: only another answer to them overtakes it.
 */
function wasOvertaken(
  connection: Connection,
  thread: ThreadRow,
  { mayFork, seenHead, turnId }: Pick<RunningRow, "mayFork" | "seenHead" | "turnId">,
  responseId: string,
): boolean {
  if (mayFork === 0 || thread.headPosition <= seenHead) return false;
  const overtaking = { threadId: thread.id, position: seenHead, turnId: turnId === responseId ? null : turnId };
  return selectEnteredAfter(connection, overtaking) !== undefined;
}

/** A private thread that keeps the history as the turn saw it. */
function fork(
  connection: Connection,
  thread: ThreadRow,
  running: { seenHead: number; organizationId: string; keyId: string; createdAt: number },
): ThreadHead & { id: number } {
  const segments = segmentsOf(thread, running.seenHead);
  const id = insertBranch(connection, { from: thread, segments, caller: running, createdAt: running.createdAt });
  return { id, headPosition: 0, sizeTotal: 0, turnsTotal: 0 };
}

/** TurnStore.withdrawTurn. */
export const withdrawTurn = plain("write", (connection, query: { responseId: string }, nowMs): boolean => {
  const running = selectRunning(connection, query);
  if (running === undefined) return false;
  voidHold(connection, running, { responseId: query.responseId, createdAt: Math.floor(nowMs / 1000) });
  deleteResponseRow(connection, { id: running.id });
  deleteEmptyThread(connection, { id: running.threadId });
  if (running.claimId !== null) freeKey(connection, { claimId: running.claimId, responseId: query.responseId });
  return true;
});
