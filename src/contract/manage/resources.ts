// The 200 responses of the management interface. Times are Unix seconds, credits decimal numbers, days UTC days.
import Type, { type TSchema } from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../money.ts";
import { UNANSWERED_CALLS } from "../requests.ts";
import { KEY_PERMISSIONS } from "./key-options.ts";
import { MANAGE_ROLES, MEMBER_ROLES } from "./roles.ts";
import { AuditPage, AuditVerdict } from "./audit.ts";
import { ShownConfiguration } from "./configuration.ts";
import { EventPage } from "./events.ts";
import { KeyHolder } from "./key-holder.ts";
import { LimitsNow } from "./limits-now.ts";
import { NodeList } from "./nodes.ts";
import { ProviderCheck } from "./provider-check.ts";
import { ProviderHealth } from "./provider-health.ts";
import { Organization, Retention } from "./organization.ts";
import { seconds, usageSums } from "./resource-fields.ts";
import type { ManageOperation } from "./routes.ts";
import { TransferPage } from "./ledger.ts";
import { RejectionDetail, RejectionPage } from "./rejections.ts";
import { AllRunning, Running } from "./running.ts";
import { BudgetTrial, PolicyTrial } from "./trials.ts";
import { TurnCounts, TurnDetail, TurnGroups, TurnPage, TurnSummary } from "./turns.ts";

const role = oneOf(MEMBER_ROLES);

const Member = Type.Object({ id: Type.String(), email: Type.String(), role });
const key = {
  id: Type.String(),
  name: Type.String(),
  member: orNull(Type.String()),
  permissions: oneOf(KEY_PERMISSIONS),
  unanswered_calls: oneOf(UNANSWERED_CALLS),
  created: seconds,
  revoked_at: orNull(seconds),
};
const Key = Type.Object(key);
const ListedKey = Type.Object({
  ...key,
  last_used_at: orNull(Type.Integer({ description: "when its last turn began, Unix seconds" })),
  old_secret_valid_until: orNull(
    Type.Integer({ description: "when the grace of a rotated secret ends, Unix seconds; null: there is none" }),
  ),
});
const secret = Type.String({ description: "shown only here" });
const NewKey = Type.Object({ id: Type.String(), name: Type.String(), secret });
const RotatedKey = Type.Object({ id: Type.String(), secret, old_secret_valid_until: seconds });
const Revoked = Type.Object({ id: Type.String(), revoked_at: orNull(seconds) });
const Budget = Type.Object({
  scope: oneOf(BUDGET_SCOPES),
  id: orNull(Type.String()),
  period: oneOf(BUDGET_PERIODS),
  limit: Type.Number({ description: "without a raise" }),
  raise: Type.Optional(
    Type.Object(
      { amount: Type.Number(), until: seconds },
      { description: "what may be spent in addition until then; present only while it is in force" },
    ),
  ),
  spent: Type.Number(),
  held: Type.Number(),
  used_up_at: orNull(
    Type.Integer({
      description:
        "the forecast, Unix seconds: when its limit (raise included) is spent at the pace of its period so far; null: not within the period",
    }),
  ),
});
const BudgetIncrease = Type.Object({
  id: Type.String(),
  key: Type.String(),
  key_name: Type.String(),
  budget: Type.Object({ scope: oneOf(BUDGET_SCOPES), id: orNull(Type.String()), period: oneOf(BUDGET_PERIODS) }),
  amount: Type.Number({ description: "the credits that are asked for, in addition to the limit" }),
  at: seconds,
  until: orNull(
    Type.Integer({ description: "the end of the budget's period, Unix seconds; null: the budget has no periods" }),
  ),
});
const UsageRow = Type.Object({
  organization: Type.Optional(orNull(Type.String())),
  organization_name: Type.Optional(orNull(Type.String())),
  key: Type.Optional(orNull(Type.String())),
  name: Type.Optional(orNull(Type.String())),
  member: Type.Optional(orNull(Type.String())),
  email: Type.Optional(orNull(Type.String())),
  model: Type.Optional(orNull(Type.String())),
  day: Type.Optional(orNull(Type.String({ description: "a day of the zone as YYYY-MM-DD" }))),
  hour: Type.Optional(orNull(Type.String({ description: "a UTC hour as YYYY-MM-DDTHH:00Z" }))),
  month: Type.Optional(orNull(Type.String({ description: "a month of the zone as YYYY-MM" }))),
  from: Type.Optional(Type.Integer({ description: "of rows by a time: its turns began at this Unix second or later" })),
  to: Type.Optional(Type.Integer({ description: "of rows by a time: its turns began before this Unix second" })),
  ...usageSums,
});
const UsageList = Type.Object({
  from: orNull(Type.Integer({ description: "the turns began at this Unix second or later; null: any time" })),
  to: orNull(Type.Integer({ description: "the turns began before this Unix second; null: any time" })),
  data: Type.Array(UsageRow),
});
const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  organization: orNull(Type.String()),
  role: oneOf(MANAGE_ROLES),
  created: seconds,
  revoked_at: orNull(seconds),
});
const NewToken = Type.Object({ id: Type.String(), name: Type.String(), secret });
const SignInLink = Type.Object({
  member: Member,
  secret,
  url: Type.String({ description: "a page of the management app, with the secret after the `#`" }),
  expires_at: seconds,
});
const Session = Type.Object({
  kind: oneOf(["session", "token"]),
  role: oneOf(MANAGE_ROLES),
  organization: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  member: orNull(Member),
  operator: orNull(Type.Object({ name: Type.String() })),
  has_password: Type.Boolean({ description: "whether the member has a password; false for all others" }),
  token: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  csrf_token: orNull(
    Type.String({ description: "the value of the header `x-csrf-token` for requests that change something" }),
  ),
  expires_at: orNull(seconds),
});
const OperatorLink = Type.Object({
  operator: Type.Object({ name: Type.String() }),
  secret,
  url: Type.String({ description: "a page of the management app, with the secret after the `#`" }),
  expires_at: seconds,
});
const listedSession = {
  id: Type.String(),
  created: seconds,
  last_used: Type.Integer({ description: "Unix seconds, to the minute" }),
  expires_at: seconds,
  address: orNull(
    Type.String({ description: "the network address that it was started from, a proxy's if there is one" }),
  ),
  user_agent: orNull(Type.String({ description: "the program that it was started with, as it names itself" })),
  current: Type.Boolean({ description: "whether it is the session of this request" }),
};
const ListedSession = Type.Object(listedSession);
const OperatorSession = Type.Object({ operator: Type.String(), ...listedSession });
const SignIn = Type.Object({
  passwords: Type.Boolean({ description: "whether passwords sign in" }),
  single_sign_on: orNull(Type.Object({ name: Type.String({ description: "the name of the provider" }) })),
});
const BegunSignIn = Type.Object({ url: Type.String({ description: "the provider's page, where the browser goes" }) });
const Done = Type.Object({ done: Type.Boolean() });
const Erased = Type.Object({ erased: Type.Integer({ description: "number of rows" }) });
const ConfigurationChanges = Type.Object({
  changed: Type.Array(Type.String(), {
    description: "the settings that new turns are served by from now on, such as `providers.NAME` and `models.ID`",
  }),
  needs_restart: Type.Array(Type.String(), {
    description: "settings that differ, and stay as they are until a restart",
  }),
  warnings: Type.Array(Type.String(), { description: "settings that are valid but rarely intended" }),
});
const Reconciliation = Type.Object({
  organizations: Type.Integer(),
  transfers: Type.Integer(),
  responses: Type.Integer(),
  budget_periods: Type.Integer(),
  differences_found: Type.Integer({ description: "0: the books agree" }),
  differences: Type.Array(
    Type.Object({
      organization: Type.String(),
      compared: Type.String(),
      of: orNull(Type.String()),
      recorded: Type.String({ description: "nano-credits, or a count" }),
      expected: Type.String(),
    }),
  ),
});
const prices = {
  input: Type.Number({ description: "USD per million tokens" }),
  cached_input: Type.Number(),
  cache_write: Type.Number(),
  output: Type.Number(),
};
const Model = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  upstream_model: Type.String(),
  group: Type.Array(Type.String()),
  context_window: Type.Integer(),
  max_output_tokens: Type.Integer(),
  default_output_tokens: Type.Integer(),
  thinking: Type.Union([Type.String(), Type.Integer()]),
  forced_tool_choice: Type.Boolean(),
  prices: Type.Object({
    ...prices,
    tiers: Type.Optional(
      Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...prices }), {
        description: "prices for longer inputs",
      }),
    ),
  }),
  owned_by: Type.String(),
  created: seconds,
});

const list = (shape: TSchema) => Type.Object({ data: Type.Array(shape) });

export interface ResponseRule {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly shape: TSchema;
}

const response = (name: string, shape: TSchema): ResponseRule => ({ name, shape });
const organization = response("Organization", Organization);
const audit = response("AuditPage", AuditPage);
const events = response("EventPage", EventPage);
const tokens = response("TokenList", list(Token));
const retention = response("Retention", Retention);
const newToken = response("NewToken", NewToken);
const revoked = response("Revoked", Revoked);
const session = response("Session", Session);
const sessions = response("SessionList", list(ListedSession));
const member = response("Member", Member);
const budget = response("Budget", Budget);
const done = response("Done", Done);
const usage = response("UsageList", UsageList);

/** The 200 response of each operation. */
export const MANAGE_RESPONSES: Readonly<Record<ManageOperation, ResponseRule>> = {
  signIn: session,
  redeemSignInLink: session,
  showSignIn: response("SignInWays", SignIn),
  beginSingleSignOn: response("BegunSignIn", BegunSignIn),
  finishSingleSignOn: session,
  showKeyHolder: response("KeyHolder", KeyHolder),
  showSession: session,
  changePassword: done,
  signOut: done,
  listSessions: sessions,
  endSessions: done,
  endSession: done,
  listModels: response("ModelList", list(Model)),
  listOrganizations: response("OrganizationList", list(Organization)),
  createOrganization: organization,
  showOrganization: organization,
  renameOrganization: organization,
  suspendOrganization: organization,
  resumeOrganization: organization,
  deleteOrganization: organization,
  listMembers: response("MemberList", list(Member)),
  addMember: member,
  setMemberRole: member,
  removeMember: member,
  createSignInLink: response("SignInLink", SignInLink),
  listMemberSessions: sessions,
  endMemberSessions: done,
  endMemberSession: done,
  listKeys: response("KeyList", list(ListedKey)),
  createKey: response("NewKey", NewKey),
  updateKey: response("Key", Key),
  rotateKey: response("RotatedKey", RotatedKey),
  revokeKey: revoked,
  setPaymentMethod: organization,
  clearPaymentMethod: organization,
  startPlan: organization,
  stopPlan: organization,
  showCredits: organization,
  addCredits: organization,
  listBudgets: response("BudgetList", list(Budget)),
  setBudget: budget,
  raiseBudget: budget,
  clearBudget: budget,
  tryBudget: response("BudgetTrial", BudgetTrial),
  requestIncrease: done,
  listIncreases: response("BudgetIncreaseList", list(BudgetIncrease)),
  grantIncrease: budget,
  declineIncrease: done,
  setPolicy: organization,
  tryPolicy: response("PolicyTrial", PolicyTrial),
  showLimits: response("LimitsNow", LimitsNow),
  setLimits: organization,
  showRetention: retention,
  setRetention: retention,
  readUsage: usage,
  listRunning: response("Running", Running),
  listTransfers: response("TransferPage", TransferPage),
  listTurns: response("TurnPage", TurnPage),
  showTurn: response("TurnDetail", TurnDetail),
  countTurns: response("TurnCounts", TurnCounts),
  groupTurns: response("TurnGroups", TurnGroups),
  showTurnSummary: response("TurnSummary", TurnSummary),
  listRejections: response("RejectionPage", RejectionPage),
  showRejection: response("RejectionDetail", RejectionDetail),
  listEvents: events,
  listAudit: audit,
  listTokens: tokens,
  createToken: newToken,
  revokeToken: revoked,
  listAllTokens: tokens,
  createOperatorToken: newToken,
  revokeAnyToken: revoked,
  listProviders: response("ProviderHealthList", list(ProviderHealth)),
  checkProviders: response("ProviderCheck", ProviderCheck),
  showConfiguration: response("Configuration", ShownConfiguration),
  readAllUsage: usage,
  listNodes: response("NodeList", NodeList),
  listAllRunning: response("AllRunning", AllRunning),
  createOperatorLink: response("OperatorLink", OperatorLink),
  listOperatorSessions: response("OperatorSessionList", list(OperatorSession)),
  endOperatorSession: done,
  listAllEvents: events,
  listAllAudit: audit,
  verifyAudit: response("AuditVerdict", AuditVerdict),
  eraseDeleted: response("Erased", Erased),
  reloadConfiguration: response("ConfigurationChanges", ConfigurationChanges),
  reconcile: response("Reconciliation", Reconciliation),
};
