// The log of turns: pages by time and filter, groups with their sums, and one response.
import type {
  LoggedResponseDetail,
  LogPlace,
  ResponseCount,
  ResponseCounts,
  ResponseFilter,
  ResponseGroups,
  ResponseLogStore,
  ResponsePage,
  ResponseGroup,
  LoggedSums,
} from "../../ports/store/response-log.ts";
import { listTransfersOf } from "../money/ledger.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import {
  chooseWalks,
  type Position,
  readWalk,
  type Stretch,
  type Walk,
  within,
  type GroupRow,
} from "./response-log-walks.ts";
import { decodeDetail, decodeLogged, DETAIL_COLUMNS, type DetailRow, LOGGED_JOINS } from "./response-log-rows.ts";

type ListResponses = Parameters<ResponseLogStore["listResponses"]>[0];

/** ResponseLogStore.listResponses. */
export const listResponses = plainProcedure("aside", function* (tx, query: ListResponses): Steps<ResponsePage> {
  const { filter, from, limit } = query;
  const direction = from?.direction ?? "older";
  const comesFirst = direction === "older" ? isLater : (a: Position, b: Position) => isLater(b, a);
  const walks = yield* chooseWalks(tx, filter);
  const stretch = yield* stretchOf(tx, filter, from);
  const readsMax = Math.ceil(query.readsMax / Math.max(1, walks.length));
  const found = [];
  // Where the first of the walks ended, having read as much as it may: what lies behind is unknown.
  let end: Position | undefined;
  for (const walk of walks) {
    // One more than the page, to know whether there are more.
    const read = yield* readWalk(tx, walk, { direction, stretch, readsMax, limit: limit + 1 });
    found.push(...read.rows);
    if (read.end !== undefined && (end === undefined || comesFirst(read.end, end))) end = read.end;
  }
  const known = found.filter((row) => end === undefined || !comesFirst(end, row));
  const inOrder = known.sort((a, b) => (comesFirst(a, b) ? -1 : 1));
  const rows = inOrder.slice(0, limit);
  const last = inOrder.length > limit ? rows.at(-1) : end;
  const next = last === undefined ? null : yield* placeOf(tx, last);
  const responses = rows.map(decodeLogged);
  return { responses: direction === "older" ? responses : responses.toReversed(), next };
});

/** ResponseLogStore.countResponses. */
export const countResponses = plainProcedure(
  "aside",
  function* (tx, { filter, readsMax }: Parameters<ResponseLogStore["countResponses"]>[0]): Steps<ResponseCounts> {
    const walks = yield* chooseWalks(tx, filter);
    const { stretch, readFrom } = yield* newestOf(tx, { filter, walks, readsMax });
    const counts = new Map<string, ResponseCount>();
    for (const walk of walks) {
      for (const { hour, model, responses } of yield* walk.along.selectCounts(tx, within(walk, stretch))) {
        const group = `${hour} ${model}`;
        counts.set(group, { hour, model, responses: responses + (counts.get(group)?.responses ?? 0) });
      }
    }
    const inOrder = [...counts.values()].sort((a, b) => a.hour - b.hour || (a.model < b.model ? -1 : 1));
    return { counts: inOrder, readFrom };
  },
);

/** ResponseLogStore.groupResponses. */
export const groupResponses = plainProcedure(
  "aside",
  function* (tx, query: Parameters<ResponseLogStore["groupResponses"]>[0]): Steps<ResponseGroups> {
    const { filter, by, limit, readsMax } = query;
    const walks = yield* chooseWalks(tx, filter);
    const { stretch, readFrom } = yield* newestOf(tx, { filter, walks, readsMax });
    const rows = [];
    for (const walk of walks) rows.push(...(yield* walk.along.selectGroups(tx, { ...within(walk, stretch), by })));
    return { ...mergeGroups(rows, limit), readFrom };
  },
);

/** ResponseLogStore.findResponse. */
export const findResponse = plainProcedure(
  "aside",
  function* (
    tx,
    query: { organizationId: string; memberId: string | null; responseId: string },
  ): Steps<LoggedResponseDetail | null> {
    const row = yield* selectDetail(tx, query);
    return row === undefined ? null : { ...decodeDetail(row), transfers: yield* listTransfersOf(tx, query) };
  },
);

/** The stretch that holds a filter's newest turns, of which its walks read `readsMax` at most. */
function* newestOf(
  tx: Transaction,
  { filter, walks, readsMax }: { filter: ResponseFilter; walks: readonly Walk[]; readsMax: number },
): Steps<{ readonly stretch: Stretch; readonly readFrom: number | null }> {
  let stretch = yield* stretchOf(tx, filter, null);
  let readFrom: number | null = null;
  const skipped = Math.ceil(readsMax / Math.max(1, walks.length));
  for (const walk of walks) {
    // Further walks are read as far as this one only: what lies behind is not known of all.
    const end: Position | undefined = yield* walk.along.older.selectNth(tx, { ...within(walk, stretch), skipped });
    if (end === undefined) continue;
    stretch = { ...stretch, after: end };
    // Of its second some were read.
    readFrom = end.createdAt + 1;
  }
  return { stretch, readFrom };
}

const START: Position = { createdAt: -1, id: 0 };
const END: Position = { createdAt: Number.MAX_SAFE_INTEGER, id: 0 };

/** The stretch of a filter's times, from a place on. */
function* stretchOf(tx: Transaction, filter: ResponseFilter, from: ListResponses["from"]): Steps<Stretch> {
  const times = {
    after: filter.from === null ? START : { createdAt: filter.from, id: 0 },
    before: filter.to === null ? END : { createdAt: filter.to, id: 0 },
  };
  if (from === null) return times;
  const { place, direction } = from;
  const { organizationId } = filter;
  const position = yield* positionOf(tx, organizationId, place, direction);
  if (direction === "older") return { ...times, before: isLater(times.before, position) ? position : times.before };
  return { ...times, after: isLater(position, times.after) ? position : times.after };
}

/** The position of a place (null: the end of the log), to read what is older. */
export function* positionBefore(tx: Transaction, organizationId: string, place: LogPlace | null): Steps<Position> {
  return place === null ? END : yield* positionOf(tx, organizationId, place, "older");
}

/** A response that was withdrawn since is gone: its whole second is read again. */
function* positionOf(
  tx: Transaction,
  organizationId: string,
  { createdAt, responseId }: LogPlace,
  direction: "older" | "newer",
): Steps<Position> {
  const row = yield* selectId(tx, { organizationId, responseId });
  return { createdAt, id: row?.id ?? (direction === "older" ? Number.MAX_SAFE_INTEGER : 0) };
}

function isLater(a: Position, b: Position): boolean {
  return a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.id > b.id);
}

function* placeOf(tx: Transaction, { id, createdAt }: Position): Steps<LogPlace> {
  const row = yield* selectPublicId(tx, { id });
  return { createdAt, responseId: row?.responseId ?? "" };
}

const selectId = one<{ organizationId: string; responseId: string }, { readonly id: number }>(`
  select id
    from responses
   where public_id = :responseId
     and organization_id = :organizationId`);

const selectPublicId = one<{ id: number }, { readonly responseId: string }>(`
  select public_id as responseId
    from responses
   where id = :id`);

const selectDetail = one<{ organizationId: string; memberId: string | null; responseId: string }, DetailRow>(`
  select ${DETAIL_COLUMNS} ${LOGGED_JOINS}
   where r.public_id = :responseId
     and r.organization_id = :organizationId
     and (cast(:memberId as text) is null or r.member_id = :memberId)`);

const NO_TURNS: LoggedSums = { responses: 0, failed: 0, inputTokens: 0, outputTokens: 0, chargedNano: 0n };

/** The first `limit` groups of the rows by what they were charged, and the sums of all others, of none and of all. */
export function mergeGroups(rows: readonly GroupRow[], limit: number): Omit<ResponseGroups, "readFrom"> {
  const found = new Map<string, ResponseGroup>();
  for (const row of rows) {
    const { id, name } = row;
    found.set(id, { id, name, ...add(found.get(id) ?? NO_TURNS, { ...row, chargedNano: BigInt(row.chargedNano) }) });
  }
  const none = add(NO_TURNS, found.get("") ?? NO_TURNS);
  found.delete("");
  const ranked = [...found.values()].sort(byCharge);
  const rest = ranked.slice(limit);
  const others = rest.reduce(add, NO_TURNS);
  return {
    groups: ranked.slice(0, limit),
    others: { ...others, groups: rest.length },
    none,
    total: ranked.reduce(add, none),
  };
}

function add(sums: LoggedSums, more: LoggedSums): LoggedSums {
  return {
    responses: sums.responses + more.responses,
    failed: sums.failed + more.failed,
    inputTokens: sums.inputTokens + more.inputTokens,
    outputTokens: sums.outputTokens + more.outputTokens,
    chargedNano: sums.chargedNano + more.chargedNano,
  };
}

/** Groups that were charged the same, such as those of free models, are in the order of their responses. */
function byCharge(a: ResponseGroup, b: ResponseGroup): number {
  if (a.chargedNano !== b.chargedNano) return a.chargedNano > b.chargedNano ? -1 : 1;
  return b.responses - a.responses || (a.id < b.id ? -1 : 1);
}
