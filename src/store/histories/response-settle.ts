// Settles a response, which is the second of its two transactions, or withdraws it. @spec states-and-transitions
import type { TerminalStatus } from "../../contract/statuses.ts";
import type { NewItem } from "../../core/history/history-item.ts";
import type { Charge } from "../../ports/store/funds.ts";
import type { Withdrawal, SettledItem, ResponseSettle } from "../../ports/store/responses.ts";
import { StoreError } from "../../ports/store/store.ts";
import { freeKey, selectClaimOf } from "./claims.ts";
import { encodeItem, ITEM_PACKING, type ItemColumns } from "./item-codec.ts";
import {
  encodeEnding,
  encodeRecord,
  encodeState,
  encodeUsage,
  type RecordColumns,
  type UsageColumns,
} from "./response-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { countFailure } from "../events/failures.ts";
import { changePrices, giveBack, settleHold } from "../money/settlements.ts";
import { appendItems, insertUnlistedItems } from "./items.ts";
import { addOpenEnd, findOpenEnds } from "./open-ends.ts";
import { identity, encodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { type Packed, packing } from "../engine/packing.ts";
import {
  deleteResponseRow,
  lockResponse,
  type RunningRow,
  selectEnteredAfter,
  selectResponseRowid,
  selectRunning,
  updateSettled,
} from "./responses.ts";
import {
  addBranch,
  deleteEmptyThread,
  lockThread,
  segmentsOf,
  selectThread,
  touchHistory,
  type ThreadRow,
  updateThreadEnd,
} from "./threads.ts";

/** A response to settle; its content is the texts that are stored. */
interface EncodedSettle extends UsageColumns, RecordColumns {
  readonly responseId: string;
  readonly status: TerminalStatus;
  readonly completedAt: number;
  readonly ending: string;
  readonly providerState: string | null;
  /** Null: those that the response began with. */
  readonly prices: string | null;
  /** What a failure is counted by, and a response without answer and charge; null: the response's model. */
  readonly countedModel: string | null;
  /** The provider that failed; null: none did. */
  readonly failedProvider: string | null;
  /** Input and output that the history lists. */
  readonly listed: readonly Packed<ItemColumns>[];
  /** Output that only the response shows. */
  readonly unlisted: readonly Packed<ItemColumns>[];
  readonly entersHistory: boolean;
}

const PACKING = packing<EncodedSettle>({
  responseId: true,
  status: true,
  completedAt: true,
  inputTokens: true,
  cachedTokens: true,
  cacheWriteTokens: true,
  outputTokens: true,
  reasoningTokens: true,
  totalTokens: true,
  failureCode: true,
  queueMs: true,
  firstOutputMs: true,
  durationMs: true,
  attempts: true,
  providerStatus: true,
  providerRequestId: true,
  ending: true,
  providerState: true,
  prices: true,
  countedModel: true,
  failedProvider: true,
  listed: true,
  unlisted: true,
  entersHistory: true,
});

/** ResponseStore.settleResponse. */
export const settleResponse = encodedProcedure({
  side: "write",
  usesBuffers: true,
  encode: ({ responseId, end, record, countedModel, prices = null, input, output, entersHistory }: ResponseSettle) =>
    PACKING.pack({
      responseId,
      status: end.status,
      completedAt: end.completedAt,
      ...encodeUsage(end.usage),
      ...encodeRecord(end, record),
      ending: encodeEnding(end),
      providerState: encodeState(end.providerState),
      prices,
      countedModel: countedModel ?? null,
      failedProvider: end.failure?.provider ?? null,
      ...splitItems(input, output, entersHistory),
      entersHistory,
    }),
  run: function* (tx, sent, nowMs): Steps<Charge | null> {
    const settle = PACKING.unpack(sent);
    yield* lockResponse(tx, settle);
    const running = yield* selectRunning(tx, settle);
    if (running === undefined) return null;
    yield* lockThread(tx, { id: running.threadId });
    const thread = yield* selectThread(tx, { id: running.threadId });
    if (thread === undefined) throw new StoreError("failed", `The thread of ${settle.responseId} is missing.`);
    const outsideHistory = { threadId: thread.id, firstPosition: null, lastPosition: null };

    // Deleted while it ran: its output can never be read, so only the billing record is kept.
    if (running.deletedAtMs !== null || thread.deletedAtMs !== null) {
      const withoutContent = { ...settle, ...outsideHistory, ending: null, providerState: null };
      return yield* chargeAndEnd(tx, running, withoutContent, nowMs);
    }
    const { responseId } = settle;
    yield* insertUnlistedItems(tx, {
      threadId: thread.id,
      items: settle.unlisted.map(ITEM_PACKING.unpack),
      responseId,
    });
    yield* touchHistory(tx, thread, nowMs);
    if (!settle.entersHistory) return yield* chargeAndEnd(tx, running, { ...settle, ...outsideHistory }, nowMs);
    const entered = (yield* wasOvertaken(tx, thread, running, responseId))
      ? yield* addBranch(tx, running, forkOf(thread, running), nowMs)
      : thread;
    const items = settle.listed.map(ITEM_PACKING.unpack);
    const end = yield* appendItems(tx, { thread: entered, items, responseId });
    const known = entered === thread ? yield* findOpenEnds(tx, thread) : [];
    const openEnds = addOpenEnd(known, { ...running, responseId, lastPosition: end.endPosition });
    yield* updateThreadEnd(tx, { id: entered.id, ...end, latestResponse: running.id, openEnds });
    const positions = { firstPosition: entered.endPosition + 1, lastPosition: end.endPosition };
    return yield* chargeAndEnd(tx, running, { ...settle, threadId: entered.id, ...positions }, nowMs);
  },
  decode: identity<Charge | null>,
});

/**
 * Charges a response and stores its end. The last step of a settlement: from here to the commit, responses of the same
 * organization that have a price wait for each other.
 */
function* chargeAndEnd(
  tx: Transaction,
  running: RunningRow,
  end: Omit<EncodedSettle, "ending"> & {
    ending: string | null;
    threadId: number;
    firstPosition: number | null;
    lastPosition: number | null;
  },
  nowMs: number,
): Steps<Charge> {
  const priced = end.prices === null ? running : yield* changePrices(tx, running, end.prices);
  const { savedNano, ...charge } = yield* settleHold(tx, priced, end, nowMs);
  yield* updateSettled(tx, { ...end, id: running.id, chargedNano: charge.chargedNano, savedNano });
  countEnd(running, end, nowMs, tx);
  return charge;
}

/** Counts a response that failed, or that was cancelled before its provider was called. */
function countEnd(
  { organizationId, model }: RunningRow,
  { status, failureCode, countedModel, failedProvider: provider, attempts }: Omit<EncodedSettle, "ending">,
  nowMs: number,
  tx: Transaction,
): void {
  const counted = { organizationId, model: countedModel ?? model, provider };
  if (status === "failed" && failureCode !== null) {
    countFailure({ ...counted, kind: "failed", code: failureCode }, nowMs, tx);
  } else if (status === "cancelled" && attempts === 0) {
    countFailure({ ...counted, kind: "cancelled", code: "canceled" }, nowMs, tx);
  }
}

function splitItems(
  input: readonly NewItem[],
  output: readonly SettledItem[],
  entersHistory: boolean,
): Pick<EncodedSettle, "listed" | "unlisted"> {
  const listed = entersHistory ? input.map((item) => ITEM_PACKING.pack(encodeItem(item, null))) : [];
  const unlisted: Packed<ItemColumns>[] = [];
  for (const [ordinal, item] of output.entries()) {
    (entersHistory && item.listed ? listed : unlisted).push(ITEM_PACKING.pack(encodeItem(item, ordinal)));
  }
  return { listed, unlisted };
}

/**
 * Whether another response entered the thread after a response that may fork saw it; items that a client added do not
 * fork a response. Tool outputs are appended after their calls, whatever other responses entered meanwhile: only
 * another answer to the same calls makes them fork.
 */
function* wasOvertaken(
  tx: Transaction,
  thread: ThreadRow,
  { mayFork, seenPosition, turnId }: Pick<RunningRow, "mayFork" | "seenPosition" | "turnId">,
  responseId: string,
): Steps<boolean> {
  if (mayFork === 0 || thread.endPosition <= seenPosition) return false;
  const overtaking = { threadId: thread.id, position: seenPosition, turnId: turnId === responseId ? null : turnId };
  return (yield* selectEnteredAfter(tx, overtaking)) !== undefined;
}

/** The branch that keeps the history as the response saw it. */
function forkOf(thread: ThreadRow, { seenPosition, createdAt }: RunningRow) {
  return { from: thread, segments: segmentsOf(thread, seenPosition), createdAt };
}

/** ResponseStore.withdrawResponse. */
export const withdrawResponse = plainProcedure(
  "write",
  function* (tx, { failure, waitMs, ...query }: Withdrawal, nowMs): Steps<boolean> {
    yield* lockResponse(tx, query);
    const running = yield* selectRunning(tx, query);
    // Nothing else deletes the row of a running response: an earlier try has withdrawn it.
    if (running === undefined) return (yield* selectResponseRowid(tx, query)) === undefined;
    if (waitMs !== undefined && running.claimId !== null) {
      const claim = yield* selectClaimOf(tx, { claimId: running.claimId, ...query });
      if (claim !== undefined && nowMs - claim.claimedAtMs >= waitMs) return false;
    }
    yield* deleteResponseRow(tx, { id: running.id });
    yield* deleteEmptyThread(tx, { id: running.threadId });
    if (running.claimId !== null) yield* freeKey(tx, { claimId: running.claimId, responseId: query.responseId });
    if (failure !== undefined) {
      countFailure({ organizationId: running.organizationId, kind: "withdrawn", ...failure }, nowMs, tx);
    }
    const transfer = { kind: "void", ...query, createdAt: Math.floor(nowMs / 1000) } as const;
    yield* giveBack(tx, running, { ...transfer, amountNano: BigInt(running.heldNano) }, nowMs);
    return true;
  },
  { usesBuffers: true },
);
