// Query parameters of the management interface.
import Type, { type Static, type TOptional, type TSchema } from "typebox";
import { FAILURE_CODES } from "../failures.ts";
import { USAGE_DAYS_MAX, USAGE_GROUPINGS, USAGE_SUBJECTS_MAX, USAGE_TIMES } from "../money.ts";
import { oneOf } from "../one-of.ts";
import { RESPONSE_STATUSES } from "../statuses.ts";
import {
  AUDIT_PAGE_DEFAULT,
  AUDIT_PAGE_MAX,
  LABEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  TURNS_PAGE_DEFAULT,
  TURNS_PAGE_MAX,
} from "./limits.ts";
import { TURN_CURSOR_PATTERN } from "./patterns.ts";
import type { ManageOperation } from "./routes.ts";
import { TURN_GROUPINGS } from "./turn-groupings.ts";

/** Later than every turn, in Unix seconds. */
const SECONDS_MAX = 1e12;

const text = (description: string, maxLength: number = NAME_CHARACTERS_MAX) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
/** A text in which a pattern decides; its description says what is allowed. */
const matching = (pattern: string, description: string) => Type.Optional(Type.String({ pattern, description }));
const word = <const Word extends string>(words: readonly Word[], description?: string) =>
  Type.Optional(oneOf(words, description));
const whole = (minimum: number, description: string, maximum: number = Number.MAX_SAFE_INTEGER) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
const limit = (maximum: number, byDefault: number) => Type.Integer({ minimum: 1, maximum, default: byDefault });

const day = (description: string) =>
  matching("^\\d{4}-\\d{2}-\\d{2}$", `${description}, a day of the zone as YYYY-MM-DD`);
const page = {
  limit: limit(AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT),
  before: whole(1, "an id of the list: the page starts with the next older one"),
};
const subjects = {
  conversation: text("the id of a conversation; `none`: turns outside of conversations"),
  end_user: text("the hash of an end user, as the log of turns shows it; `none`: turns without an end user"),
  safety_identifier: text("instead of `end_user`: the end user as clients name it in `safety_identifier` or `user`"),
  label: text("a label, `KEY=VALUE`; `none`: turns without a label", LABEL_CHARACTERS_MAX),
};
const usage = (groupings: readonly string[]) => ({
  by: matching(
    `^(${groupings.join("|")})(,(${groupings.join("|")})){0,${USAGE_SUBJECTS_MAX}}$`,
    `what the rows are grouped by, of ${groupings.join(", ")}, separated by commas, such as \`model,day\`: at most one of ${USAGE_TIMES.join(", ")}, and ${USAGE_SUBJECTS_MAX} of the others; a single row if not given`,
  ),
  from: day("the first day"),
  to: day("the last day"),
  zone: Type.Optional(
    Type.String({
      description: `the time zone of days and months, such as \`Europe/Berlin\`; UTC if not given. Another zone, and months, need \`from\` and \`to\`, at most ${USAGE_DAYS_MAX} days`,
    }),
  ),
  key: text("the id of a key"),
  member: text("the id of the member who owned the key then; `none`: keys without a member"),
  model: text("the full id of a model"),
});
const turns = {
  from: whole(0, "turns that began at this Unix second or later", SECONDS_MAX),
  to: whole(0, "turns that began before this Unix second", SECONDS_MAX),
  model: text("the full id of a model"),
  key: text("the id of a key"),
  member: text("the id of the member who owned the key then; `none`: keys without a member"),
  status: word(RESPONSE_STATUSES, "`failed`: every failure code"),
  failure_code: word(FAILURE_CODES),
  ...subjects,
};
/**
 * Query parameters by operation; others are rejected. One that is neither optional nor has a default is required. The
 * shapes check what is sent; the flows check what it means.
 */
export const MANAGE_QUERIES = {
  readUsage: usage(USAGE_GROUPINGS.filter((grouping) => grouping !== "organization")),
  readAllUsage: { ...usage(USAGE_GROUPINGS), organization: text("the id of an organization") },
  countTurns: turns,
  groupTurns: { by: oneOf(TURN_GROUPINGS, "what the turns are grouped by"), ...turns },
  listTurns: {
    ...turns,
    limit: limit(TURNS_PAGE_MAX, TURNS_PAGE_DEFAULT),
    before: matching(TURN_CURSOR_PATTERN, "`older` of another page: the turns before it"),
    after: matching(TURN_CURSOR_PATTERN, "`newer` of another page: the turns after it"),
  },
  listTransfers: { kind: word(["topup"], "only top-ups"), ...page },
  listRejections: page,
  reconcile: { organization_id: Type.Optional(Type.String({ description: "only this organization" })) },
} as const satisfies Partial<Record<ManageOperation, QueryShape>>;

/** The parameters of an operation. */
export type QueryShape = Readonly<Record<string, TSchema>>;

/** Whether a request must have the parameter. */
export function isRequired(parameter: TSchema): boolean {
  return !Type.IsOptional(parameter) && !("default" in parameter);
}

/** The type of a checked query: an optional parameter that is not given is null. */
export type QueryOf<Operation extends keyof typeof MANAGE_QUERIES> = ValuesOf<(typeof MANAGE_QUERIES)[Operation]>;

type ValuesOf<Shape extends QueryShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends TOptional ? Static<Shape[Name]> | null : Static<Shape[Name]>;
};
