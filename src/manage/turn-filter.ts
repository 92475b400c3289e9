// Which turns of the log: the fields of several operations, and what they mean. docs/management.md (The log of turns)
import Type, { type Static, type TObject } from "typebox";
import { invalidInput } from "../contract/errors.ts";
import { FAILURE_CODES } from "../contract/failures.ts";
import { LABEL_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { NONE } from "../contract/money.ts";
import { oneOf } from "../contract/shapes.ts";
import { RESPONSE_STATUSES } from "../contract/statuses.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { endUserOf } from "../flows/response-subjects.ts";
import type { LogPlace, ResponseFilter } from "../ports/store/response-log.ts";
import type { OrganizationContext } from "./definition/context.ts";
import { quote, text, textOrNone, TIME, whole } from "./fields.ts";
import { MEMBER } from "./members.ts";

/** Later than every turn, in Unix seconds. */
export const SECONDS_MAX = 1e12;

/** Which turns; each is an option of the commands too. */
export const filter = {
  from: Type.Optional(whole(0, "turns that began at this Unix second or later", SECONDS_MAX)),
  to: Type.Optional(whole(0, "turns that began before this Unix second", SECONDS_MAX)),
  model: Type.Optional(text("the full id of a model")),
  key: Type.Optional(text("the id of a key")),
  member: Type.Optional(text("the id of the member who owned the key at the time; `none`: keys without a member")),
  status: Type.Optional(oneOf(RESPONSE_STATUSES, "`failed`: every failure code")),
  failure_code: Type.Optional(oneOf(FAILURE_CODES)),
  conversation: Type.Optional(text("the id of a conversation; `none`: turns outside of conversations")),
  end_user: Type.Optional(
    text("the hash of an end user, as the log of turns shows it; `none`: turns without an end user"),
  ),
  safety_identifier: Type.Optional(
    text("instead of `end_user`: the end user as clients name it in `safety_identifier` or `user`"),
  ),
  label: Type.Optional(text("a label, `KEY=VALUE`; `none`: turns without a label", LABEL_CHARACTERS_MAX)),
};

export const FILTER_OPTIONS = {
  from: { flags: "--from <time>", help: `turns that began then or later: ${TIME.allowed}`, read: TIME },
  to: { flags: "--to <time>", help: "turns that began before", read: TIME },
  member: MEMBER,
  failure_code: { help: "failed turns with this code" },
};

/** A time and the response that began then. */
export const placeInLog = (description: string) =>
  Type.Optional(Type.String({ pattern: "^\\d{1,12}\\.resp_[A-Za-z0-9_-]{1,200}$", description }));

/** A place in the log, for a query. */
export function cursorOf({ createdAt, responseId }: LogPlace): string {
  return `${createdAt}.${responseId}`;
}

/** The place of a query. */
export function readCursor(written: string): LogPlace {
  const dot = written.indexOf(".");
  return { createdAt: Number(written.slice(0, dot)), responseId: written.slice(dot + 1) };
}

/** All turns of an organization, or of a member in it. */
export const ALL_TURNS: Omit<ResponseFilter, "organizationId" | "memberId"> = {
  keyId: null,
  model: null,
  status: null,
  failureCode: null,
  conversationId: null,
  endUser: null,
  label: null,
  from: null,
  to: null,
};

/** The turns of a query that its caller may see; null: none. Throws 400 `invalid_input` with the parameter. */
export function readFilter(
  { secrets, role, session, organization }: Pick<OrganizationContext, "secrets" | "role" | "session" | "organization">,
  query: Static<TObject<typeof filter>>,
): ResponseFilter | null {
  const { from = null, to = null, end_user: hash, safety_identifier: sent, label } = query;
  if (from !== null && to !== null && from > to) throw invalidInput("from", "from is later than to.");
  if (sent !== undefined && hash !== undefined)
    throw invalidInput("safety_identifier", "end_user and safety_identifier exclude each other.");
  if (label !== undefined && label !== NONE && !label.includes("="))
    throw invalidInput("label", `label is ${quote(label)}; allowed: KEY=VALUE, or ${NONE}.`);
  const memberId = readableMember({ role, session }, textOrNone(query.member));
  if (memberId === undefined) return null;
  return {
    organizationId: organization.id,
    keyId: query.key ?? null,
    memberId,
    model: query.model ?? null,
    status: query.status ?? null,
    failureCode: query.failure_code ?? null,
    conversationId: textOrNone(query.conversation),
    endUser: sent === undefined ? textOrNone(hash) : endUserOf(secrets.hashEndUser(organization.id, sent)),
    label: textOrNone(label),
    from,
    to,
  };
}
