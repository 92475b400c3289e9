// Operations that read the log of turns.
import { invalidInput, notFound } from "../../contract/errors.ts";
import { FAILURE_CODES } from "../../contract/failures.ts";
import { TURN_GROUPS_MAX, TURNS_PAGE_DEFAULT, TURNS_PAGE_MAX, TURNS_READ_MAX } from "../../contract/manage/limits.ts";
import { TURN_CURSOR_PATTERN } from "../../contract/manage/patterns.ts";
import { TURN_GROUPINGS } from "../../contract/manage/turn-groupings.ts";
import { RESPONSE_STATUSES } from "../../contract/statuses.ts";
import type { LoggedTurn, LogPlace, TurnFilter, TurnGroups } from "../../ports/store/turn-log.ts";
import { presentLoggedTurn, presentTurnDetail, presentTurnGroups } from "../accounts/present-turns.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { readWhole } from "./paging.ts";
import { readableMember } from "./principal.ts";
import type { ManageServices } from "./services.ts";
import { readTurnSubjects } from "./turn-subjects.ts";
import { quote, readMember, readOneOf, readText } from "./query-text.ts";

type Query = ReadonlyMap<string, string>;

/**
 * A page of the log, newest first: of the whole organization for owners, admins and the operator, of their own keys for
 * members. Throws 400 `invalid_input` with the parameter that is not valid.
 */
export async function listTurns({ services, principal, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const filter = readFilter(services.secrets, organization.id, query);
  const limit = readWhole("limit", query.get("limit"), 1, TURNS_PAGE_MAX) ?? TURNS_PAGE_DEFAULT;
  const from = readPlace(query);
  const memberId = readableMember(principal, filter.memberId);
  if (memberId === undefined) return NO_TURNS;
  const { turns, next } = await services.store.listTurns({
    filter: { ...filter, memberId },
    from,
    limit,
    readsMax: TURNS_READ_MAX,
  });
  return {
    data: turns.map(presentLoggedTurn),
    has_more: next !== null,
    ...cursorsOf(turns, next, from),
  };
}

/** The turns of a filter by hour and model, for the same readers. Throws as `listTurns` does. */
export async function countTurns({ services, principal, organization, request }: OrganizationRequest) {
  const filter = readFilter(services.secrets, organization.id, request.readQuery());
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

/** The turns of a filter by `by`, for the same readers. Throws as `listTurns` does, and 400 without `by`. */
export async function groupTurns({ services, principal, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const filter = readFilter(services.secrets, organization.id, query);
  const by = readOneOf("by", query, TURN_GROUPINGS);
  if (by === null) throw invalidInput("by", `by is missing; allowed: ${TURN_GROUPINGS.join(", ")}.`);
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

function readPlace(query: Query): { place: LogPlace; direction: "older" | "newer" } | null {
  const [before, after] = [readCursor("before", query), readCursor("after", query)];
  if (before !== null && after !== null) throw invalidInput("after", "before and after exclude each other.");
  if (before !== null) return { place: before, direction: "older" };
  return after === null ? null : { place: after, direction: "newer" };
}

function readCursor(param: string, query: Query): LogPlace | null {
  const text = query.get(param);
  if (text === undefined) return null;
  if (!new RegExp(TURN_CURSOR_PATTERN).test(text)) {
    throw invalidInput(param, `${param} is ${quote(text)}; allowed: \`older\` or \`newer\` of another page.`);
  }
  const dot = text.indexOf(".");
  return { createdAt: Number(text.slice(0, dot)), responseId: text.slice(dot + 1) };
}

function readFilter(secrets: ManageServices["secrets"], organizationId: string, query: Query): TurnFilter {
  const from = readWhole("from", query.get("from"), 0, SECONDS_MAX);
  const to = readWhole("to", query.get("to"), 0, SECONDS_MAX);
  if (from !== null && to !== null && from > to) throw invalidInput("from", "from is later than to.");
  return {
    organizationId,
    keyId: readText("key", query),
    memberId: readMember(query),
    model: readText("model", query),
    status: readOneOf("status", query, RESPONSE_STATUSES),
    failureCode: readOneOf("failure_code", query, FAILURE_CODES),
    ...readTurnSubjects(secrets, organizationId, query),
    from,
    to,
  };
}

/** Later than every turn, in Unix seconds. */
const SECONDS_MAX = 1e12;
