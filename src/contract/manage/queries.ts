// Query parameters of the management interface.
import Type, { type TSchema } from "typebox";
import { FAILURE_CODES } from "../failures.ts";
import {
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  USAGE_DAYS_MAX,
  USAGE_GROUPINGS,
  USAGE_SUBJECTS_MAX,
  USAGE_TIMES,
} from "../money.ts";
import { oneOf } from "../one-of.ts";
import { RESPONSE_STATUSES } from "../statuses.ts";
import { AUDIT_ACTIONS } from "./audit-actions.ts";
import { EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "./event-types.ts";
import {
  AUDIT_PAGE_DEFAULT,
  AUDIT_PAGE_MAX,
  EMAIL_CHARACTERS_MAX,
  LABEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  TURNS_PAGE_DEFAULT,
  TURNS_PAGE_MAX,
} from "./limits.ts";
import { AUDIT_HEAD_PATTERN, TURN_CURSOR_PATTERN } from "./patterns.ts";
import type { ManageOperation } from "./routes.ts";
import { TURN_GROUPINGS } from "./turn-groupings.ts";

const text = (description: string, maxLength: number = NAME_CHARACTERS_MAX) =>
  Type.String({ minLength: 1, maxLength, description });

const day = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: `${description}, a day of the zone as YYYY-MM-DD` });
const page = {
  limit: Type.Integer({ minimum: 1, maximum: AUDIT_PAGE_MAX, default: AUDIT_PAGE_DEFAULT }),
  before: Type.Integer({ minimum: 1, description: "an id of the list: the page starts with the next older one" }),
};
const events = {
  limit: Type.Integer({ minimum: 1, maximum: EVENTS_PAGE_MAX, default: EVENTS_PAGE_DEFAULT }),
  after: Type.Integer({ minimum: 0, description: "an id: the events after it, oldest first; 0: from the oldest" }),
  before: Type.Integer({ minimum: 1, description: "an id: the events before it, newest first" }),
};
const subjects = {
  conversation: text("the id of a conversation; `none`: turns outside of conversations"),
  end_user: text("the hash of an end user, as the log of turns shows it; `none`: turns without an end user"),
  safety_identifier: text("instead of `end_user`: the end user as clients name it in `safety_identifier` or `user`"),
  label: text("a label, `KEY=VALUE`; `none`: turns without a label", LABEL_CHARACTERS_MAX),
};
const usage = (groupings: readonly string[]) => ({
  by: Type.String({
    pattern: `^(${groupings.join("|")})(,(${groupings.join("|")})){0,${USAGE_SUBJECTS_MAX}}$`,
    description: `what the rows are grouped by, separated by commas, such as \`model,day\`: at most one of ${USAGE_TIMES.join(", ")}, and ${USAGE_SUBJECTS_MAX} of the others; a single row if not given`,
  }),
  from: day("the first day"),
  to: day("the last day"),
  zone: Type.String({
    description: `the time zone of days and months, such as \`Europe/Berlin\`; UTC if not given. Another zone, and months, need \`from\` and \`to\`, at most ${USAGE_DAYS_MAX} days`,
  }),
  key: text("the id of a key"),
  member: text("the id of the member who owned the key then; `none`: keys without a member"),
  model: text("the full id of a model"),
});
const turns = {
  from: Type.Integer({ minimum: 0, description: "turns that began at this Unix second or later" }),
  to: Type.Integer({ minimum: 0, description: "turns that began before this Unix second" }),
  model: text("the full id of a model"),
  key: text("the id of a key"),
  member: text("the id of the member who owned the key then; `none`: keys without a member"),
  status: oneOf(RESPONSE_STATUSES, "`failed`: every failure code"),
  failure_code: oneOf(FAILURE_CODES),
  ...subjects,
};
const audit = {
  action: oneOf(AUDIT_ACTIONS),
  actor: text(
    "the id of the actor as an entry shows it, or the e-mail address of a member in any letter case",
    EMAIL_CHARACTERS_MAX,
  ),
  target: text("the target as an entry shows it; the id of a key or member finds changes of its budgets too"),
  ...page,
};

/** Query parameters by operation; others are rejected. Values arrive as strings and are parsed by the flows. */
export const MANAGE_QUERIES: Readonly<Partial<Record<ManageOperation, Readonly<Record<string, TSchema>>>>> = {
  listOrganizations: {
    deleted: Type.Boolean({
      description: "`true`: the deleted organizations instead, in the order of their deletion",
    }),
  },
  tryBudget: {
    scope: oneOf(BUDGET_SCOPES),
    id: text("the key, by id, or the member, by id or e-mail address"),
    period: oneOf(BUDGET_PERIODS),
    limit: Type.Number({ minimum: 0, description: "credits, a decimal down to a millionth" }),
  },
  tryPolicy: {
    allow_models: text("the models that would be allowed, separated by commas; all if not given"),
    deny_models: text("the models that would be denied, separated by commas; none if not given"),
  },
  readUsage: usage(USAGE_GROUPINGS.filter((grouping) => grouping !== "organization")),
  readAllUsage: { ...usage(USAGE_GROUPINGS), organization: text("the id of an organization") },
  countTurns: turns,
  groupTurns: { by: oneOf(TURN_GROUPINGS, "required: what the turns are grouped by"), ...turns },
  listTurns: {
    ...turns,
    limit: Type.Integer({ minimum: 1, maximum: TURNS_PAGE_MAX, default: TURNS_PAGE_DEFAULT }),
    before: Type.String({
      pattern: TURN_CURSOR_PATTERN,
      description: "`older` of another page: the turns before it",
    }),
    after: Type.String({ pattern: TURN_CURSOR_PATTERN, description: "`newer` of another page: the turns after it" }),
  },
  listTransfers: {
    kind: oneOf(["topup"], "only top-ups"),
    ...page,
  },
  listRejections: page,
  listEvents: events,
  listAllEvents: events,
  listAudit: audit,
  listAllAudit: audit,
  verifyAudit: {
    head: Type.String({
      pattern: AUDIT_HEAD_PATTERN,
      description: "the `head` of an earlier check, to be looked up in the log",
    }),
  },
  reconcile: { organization_id: Type.String({ description: "only this organization" }) },
};
