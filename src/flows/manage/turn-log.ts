// Operations that read the log of turns.
import { invalidInput, notFound } from "../../contract/errors.ts";
import { TURN_GROUPS_MAX, TURNS_READ_MAX } from "../../contract/manage/limits.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import type { LoggedTurn, LogPlace, TurnFilter, TurnGroups } from "../../ports/store/turn-log.ts";
import { presentLoggedTurn, presentTurnDetail, presentTurnGroups } from "../accounts/present-turns.ts";
import type { OrganizationRequest, ReadRequest } from "./authorized-request.ts";
import { readableMember } from "./principal.ts";
import type { ManageServices } from "./services.ts";
import { readTurnSubjects } from "./turn-subjects.ts";
import { textOrNone } from "./query-text.ts";

/**
 * A page of the log, newest first: of the whole organization for owners, admins and the operator, of their own keys for
 * members. Throws 400 `invalid_input` for parameters that contradict each other, and for a label
 * that is not `KEY=VALUE`.
 */
export async function listTurns(
  { services, principal, organization }: ReadRequest<"store" | "secrets">,
  query: QueryOf<"listTurns">,
) {
  const filter = readFilter(services.secrets, organization.id, query);
  const from = readPlace(query);
  const memberId = readableMember(principal, filter.memberId);
  if (memberId === undefined) return NO_TURNS;
  const { turns, next } = await services.store.listTurns({
    filter: { ...filter, memberId },
    from,
    limit: query.limit,
    readsMax: TURNS_READ_MAX,
  });
  return {
    data: turns.map(presentLoggedTurn),
    has_more: next !== null,
    ...cursorsOf(turns, next, from),
  };
}

/** The turns of a filter by hour and model, for the same readers. Throws as `listTurns` does. */
export async function countTurns(
  { services, principal, organization }: OrganizationRequest,
  query: QueryOf<"countTurns">,
) {
  const filter = readFilter(services.secrets, organization.id, query);
  const memberId = readableMember(principal, filter.memberId);
  if (memberId === undefined) return NO_COUNTS;
  const { counts, readFrom } = await services.store.countTurns({
    filter: { ...filter, memberId },
    readsMax: TURNS_READ_MAX,
  });
  return {
    data: counts.map(({ hour, model, turns }) => ({ from: hour * HOUR_SECONDS, model, turns })),
    read_from: readFrom,
  };
}

/** The turns of a filter by `by`, for the same readers. Throws as `listTurns` does. */
export async function groupTurns(
  { services, principal, organization }: ReadRequest<"store" | "secrets">,
  { by, ...query }: QueryOf<"groupTurns">,
) {
  const filter = readFilter(services.secrets, organization.id, query);
  const memberId = readableMember(principal, filter.memberId);
  if (memberId === undefined) return { by, ...presentTurnGroups(NO_GROUPS) };
  const groups = await services.store.groupTurns({
    filter: { ...filter, memberId },
    by,
    limit: TURN_GROUPS_MAX,
    readsMax: TURNS_READ_MAX,
  });
  return { by, ...presentTurnGroups(groups) };
}

/** One turn, for the same readers. Throws 404 for every other turn. */
export async function showTurn({ services, principal, organization, request }: OrganizationRequest) {
  const memberId = readableMember(principal);
  if (memberId === undefined) throw notFound();
  const responseId = request.params["response_id"] ?? "";
  const turn = await services.store.findTurn({ organizationId: organization.id, memberId, responseId });
  if (turn === null) throw notFound();
  return presentTurnDetail(turn);
}

const HOUR_SECONDS = 3600;
const NO_COUNTS = { data: [], read_from: null };
const NO_SUMS = { turns: 0, failed: 0, inputTokens: 0, outputTokens: 0, chargedNano: 0n };
const NO_GROUPS: TurnGroups = {
  groups: [],
  others: { groups: 0, ...NO_SUMS },
  none: NO_SUMS,
  total: NO_SUMS,
  readFrom: null,
};
const NO_TURNS = { data: [], has_more: false, older: null, newer: null };

/** Where older and newer pages begin, as far as the page tells. */
function cursorsOf(
  turns: readonly LoggedTurn[],
  next: LogPlace | null,
  from: ReturnType<typeof readPlace>,
): { older: string | null; newer: string | null } {
  const [newest, oldest] = [turns[0], turns.at(-1)].map((turn) => turn && cursorOf(placeOf(turn)));
  const nextCursor = next === null ? null : cursorOf(next);
  if (from?.direction === "newer") {
    return { older: oldest ?? null, newer: nextCursor ?? newest ?? cursorOf(from.place) };
  }
  return { older: nextCursor, newer: newest ?? null };
}

function placeOf({ id, createdAt }: LoggedTurn): LogPlace {
  return { createdAt, responseId: id };
}

function cursorOf({ createdAt, responseId }: LogPlace): string {
  return `${createdAt}.${responseId}`;
}

function readPlace({ before, after }: QueryOf<"listTurns">): { place: LogPlace; direction: "older" | "newer" } | null {
  if (before !== null && after !== null) throw invalidInput("after", "before and after exclude each other.");
  if (before !== null) return { place: readCursor(before), direction: "older" };
  return after === null ? null : { place: readCursor(after), direction: "newer" };
}

function readCursor(cursor: string): LogPlace {
  const dot = cursor.indexOf(".");
  return { createdAt: Number(cursor.slice(0, dot)), responseId: cursor.slice(dot + 1) };
}

function readFilter(
  secrets: ManageServices["secrets"],
  organizationId: string,
  query: QueryOf<"countTurns">,
): TurnFilter {
  const { from, to } = query;
  if (from !== null && to !== null && from > to) throw invalidInput("from", "from is later than to.");
  return {
    organizationId,
    keyId: query.key,
    memberId: textOrNone(query.member),
    model: query.model,
    status: query.status,
    failureCode: query.failure_code,
    ...readTurnSubjects(secrets, organizationId, query),
    from,
    to,
  };
}
