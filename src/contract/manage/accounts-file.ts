// The shape of a file of accounts: organizations with their rules, credits, members, keys and budgets. No secret is part
// of it. Each description begins with what is allowed: error messages end with it, and editors show it.
// Published as turngate-accounts.schema.json. docs/accounts-file.md
import Type, { type Static, type TProperties, type TSchema } from "typebox";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX } from "../money.ts";
import { oneOf, orNull } from "../shapes.ts";
import { UNANSWERED_CALLS } from "../requests.ts";
import { KEY_PERMISSIONS, NEW_KEY } from "./key-options.ts";
import { EMAIL_CHARACTERS_MAX, KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX } from "./limits.ts";
import { MEMBER_ROLES } from "./roles.ts";

/**
 * A group of keys, which its description lists. Other keys are an error: a mistyped one would change less than
 * intended.
 */
function group<Fields extends TProperties>(what: string, fields: Fields) {
  const description = `${what}: keys ${Object.keys(fields).join(", ")}`;
  return Type.Object(fields, { additionalProperties: false, description });
}

const list = <Entry extends TSchema>(entry: Entry, description: string) =>
  Type.Optional(Type.Array(entry, { maxItems: 100_000, description }));

const text = (description: string, bounds: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX, ...bounds, description });

const flag = (description: string) => Type.Optional(Type.Boolean({ description: `true or false: ${description}` }));

const word = <const Word extends string>(words: readonly Word[], description: string) =>
  oneOf(words, `one of ${words.join(", ")}: ${description}`);

const countOrNull = (minimum: number, description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum,
      maximum: 1_000_000_000,
      description: `a whole number, ${minimum} or more, or null: ${description}`,
    }),
  );

const Models = Type.Array(text("a model, by its id or bare form"), {
  maxItems: 500,
  uniqueItems: true,
  description: "a list of models, by id or bare form",
});

const Policy = group("the models and tool calls that the organization may use", {
  allow_models: Type.Optional(
    orNull(Models, { description: "a list of models, the only ones allowed, or null for all" }),
  ),
  deny_models: Type.Optional(Models),
  tool_calls_per_turn: countOrNull(0, "the most tool calls of a turn; null: no limit"),
});

const SERVICE = "null: the limit of the service";
const Limits = group("the rates of the organization", {
  create_per_minute: countOrNull(1, `create requests a minute; ${SERVICE}`),
  retrieve_per_minute: countOrNull(1, `retrieve requests a minute; ${SERVICE}`),
  delete_per_minute: countOrNull(1, `delete and cancel requests a minute; ${SERVICE}`),
  tokens_per_minute: countOrNull(1, "tokens of input and output a minute; null: no limit"),
  open_streams: countOrNull(0, `streams open at once; ${SERVICE}`),
  concurrent_turns: countOrNull(
    1,
    "turns at once on each node, running and queued ones; null: the share of one organization",
  ),
});

const AMOUNT = `a number of credits, 0 or more, at most ${CREDITS_MAX}, with at most six decimals`;
const amount = (description: string) => Type.Number({ minimum: 0, maximum: CREDITS_MAX, description });

const Credits = group("the balance of the organization", {
  at_least: amount(`${AMOUNT}: what the balance lacks up to it is added`),
});

const Member = group("a person of the organization", {
  email: text("an e-mail address", { maxLength: EMAIL_CHARACTERS_MAX }),
  role: word(MEMBER_ROLES, "what the person may do"),
});

const ORGANIZATIONS = "null: the limit of the organization alone";
const KeyLimits = group("the key's own limits", {
  allow_models: Type.Optional(
    orNull(Models, { description: "a list of models, the only ones that the key may use, or null for all" }),
  ),
  create_per_minute: countOrNull(1, `create requests a minute; ${ORGANIZATIONS}`),
  retrieve_per_minute: countOrNull(1, `retrieve requests a minute; ${ORGANIZATIONS}`),
  delete_per_minute: countOrNull(1, `delete and cancel requests a minute; ${ORGANIZATIONS}`),
  tokens_per_minute: countOrNull(1, `tokens of input and output a minute; ${ORGANIZATIONS}`),
  concurrent_turns: countOrNull(1, `turns at once on each node, running and queued ones; ${ORGANIZATIONS}`),
});

const Key = group("an API key", {
  name: text("a text of at least three characters that says what the key is for; it can't be changed", {
    minLength: KEY_NAME_CHARACTERS_MIN,
  }),
  id: Type.Optional(text("the id of a key that exists, where several have the same name")),
  member: Type.Optional(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      minLength: 1,
      maxLength: EMAIL_CHARACTERS_MAX,
      description: "the member who owns the key, by e-mail address, or null; it can't be changed",
    }),
  ),
  permissions: Type.Optional(
    word(KEY_PERMISSIONS, `what the key may do, ${NEW_KEY.permissions} by default; it can't be changed`),
  ),
  unanswered_calls: Type.Optional(
    word(UNANSWERED_CALLS, `what a message does while function calls wait, ${NEW_KEY.unanswered_calls} by default`),
  ),
  limits: Type.Optional(KeyLimits),
});

const Budget = group("a spending limit", {
  scope: word(BUDGET_SCOPES, "what the budget limits"),
  id: Type.Optional(
    text("the key, by name or id, or the member, by e-mail address; for these two scopes only", {
      maxLength: EMAIL_CHARACTERS_MAX,
    }),
  ),
  period: Type.Optional(word(BUDGET_PERIODS, "UTC day, calendar month or everything; total unless given otherwise")),
  limit: amount(AMOUNT),
});

const Organization = group("an organization", {
  name: text("a unique name"),
  id: Type.Optional(text("the id of an organization that exists, whose name may then change")),
  plan: flag("whether it has a plan"),
  payment_method: flag("whether a payment method is on file"),
  suspended: flag("whether all of its requests are rejected"),
  retention_days: countOrNull(1, "days after its last use after which a history is deleted; null: as the service"),
  policy: Type.Optional(Policy),
  limits: Type.Optional(Limits),
  credits: Type.Optional(Credits),
  members: list(Member, "a list of people; left out, they are not looked at"),
  keys: list(Key, "a list of API keys; left out, they are not looked at"),
  budgets: list(Budget, "a list of budgets; left out, they are not looked at"),
});

/** The whole file. */
export const AccountsFileShape = Type.Object(
  { organizations: Type.Array(Organization, { maxItems: 100_000, description: "a list of organizations" }) },
  { additionalProperties: false, description: "accounts of Turngate: key organizations" },
);

export type AccountsFile = Static<typeof AccountsFileShape>;
export type OrganizationEntry = Static<typeof Organization>;
export type MemberEntry = Static<typeof Member>;
export type KeyEntry = Static<typeof Key>;
export type BudgetEntry = Static<typeof Budget>;
