// Who may do what: every route that requires a sign-in, with the roles that may use it. Written by hand from the
// specification (Authentication) and issue 4, not taken from the code.
import type { MemberRole } from "../../src/contract/manage/roles.ts";
import type { DefinedOperation } from "../../src/manage/operations.ts";
import { mintAccountId } from "../../src/system/ids.ts";

type Role = "operator" | MemberRole;
export const ALL: readonly Role[] = ["operator", "owner", "admin", "member"];
const MANAGERS: readonly Role[] = ["operator", "owner", "admin"];
const OWNERS: readonly Role[] = ["operator", "owner"];
const OPERATOR: readonly Role[] = ["operator"];

/** The parts of a row's request. */
export interface Place {
  readonly organization: string;
  readonly member: string;
  readonly key: string;
  readonly token: string;
}

interface Row {
  readonly may: readonly Role[];
  readonly about: "organization" | "platform" | "self";
  readonly body?: object | ((place: Place) => object);
  /** The reply to a program where a session is needed. */
  readonly program?: number;
  /** The reply to a person where a password is checked. */
  readonly person?: number;
}

const organization = (may: readonly Role[], body?: Row["body"]): Row => ({
  may,
  about: "organization",
  ...(body === undefined ? {} : { body }),
});
const platform = (body?: object): Row => ({
  may: OPERATOR,
  about: "platform",
  ...(body === undefined ? {} : { body }),
});

const NAME = () => ({ name: `Named ${mintAccountId("organization")}` });

type PublicOperation = "signIn" | "redeemSignInLink" | "showSignIn" | "beginSingleSignOn" | "finishSingleSignOn";
/** key-holder.test.ts has them. */
type KeyOperation = "showKeyHolder" | "listKeyConversations" | "requestIncrease";

/** Every route that requires a sign-in; a missing one fails to compile. */
export const ROWS: Readonly<Record<Exclude<DefinedOperation, PublicOperation | KeyOperation>, Row>> = {
  showSession: { may: ALL, about: "self" },
  changePassword: {
    may: ALL,
    about: "self",
    body: { current_password: "not the right one", new_password: "twelve letters" },
    program: 400,
    person: 400,
  },
  signOut: { may: ALL, about: "self", program: 400 },
  listSessions: { may: ALL, about: "self", program: 400 },
  endSessions: { may: ALL, about: "self", program: 400 },
  endSession: { may: ALL, about: "self", program: 400, person: 404 },
  listModels: { may: ALL, about: "self" },

  listOrganizations: platform(),
  createOrganization: { ...platform(), body: NAME },
  listAllTokens: platform(),
  createOperatorToken: platform({ name: "another" }),
  revokeAnyToken: platform(),
  createOperatorLink: platform({ name: "Ada" }),
  listOperatorSessions: platform(),
  endOperatorSession: { ...platform(), program: 404, person: 404 },
  listAllEvents: platform(),
  listAllAudit: platform(),
  listProviders: platform(),
  checkProviders: platform(),
  showConfiguration: platform(),
  readAllUsage: platform(),
  readAllUsageLines: { ...platform(), program: 400, person: 400 }, // Without their month.
  sumAllFailures: platform(),
  listSpending: platform(),
  findAnywhere: platform(),
  listNodes: platform(),
  listAllRunning: platform(),
  verifyAudit: platform(),
  eraseDeleted: platform({}),
  reloadConfiguration: platform(),
  reconcile: platform(),

  showOrganization: organization(ALL),
  renameOrganization: organization(OWNERS, NAME),
  suspendOrganization: organization(OPERATOR),
  resumeOrganization: organization(OPERATOR),
  deleteOrganization: { ...organization(OPERATOR, { confirm: "another name" }), program: 400, person: 400 },
  listMembers: organization(ALL),
  addMember: organization(MANAGERS, { email: "new@test.test", role: "member" }),
  setMemberRole: organization(MANAGERS, { role: "admin" }),
  removeMember: organization(MANAGERS),
  createSignInLink: organization(MANAGERS),
  listMemberSessions: organization(MANAGERS),
  endMemberSessions: organization(MANAGERS),
  endMemberSession: { ...organization(MANAGERS), program: 404, person: 404 },
  listKeys: organization(ALL),
  createKey: organization(MANAGERS, { name: "web app" }),
  updateKey: organization(MANAGERS, { unanswered_calls: "drop" }),
  rotateKey: organization(MANAGERS, { grace: "1h" }),
  revokeKey: organization(MANAGERS),
  setPaymentMethod: organization(OWNERS),
  clearPaymentMethod: organization(OWNERS),
  startPlan: organization(OWNERS),
  stopPlan: organization(OWNERS),
  showCredits: organization(ALL),
  addCredits: organization(OPERATOR, { amount: 1.5 }),
  listBudgets: organization(MANAGERS),
  setBudget: organization(MANAGERS, ({ key }: Place) => ({ scope: "key", id: key, limit: 3 })),
  raiseBudget: organization(MANAGERS, { scope: "organization", period: "month", amount: 0, until: 0 }),
  clearBudget: organization(MANAGERS, { scope: "organization", period: "month" }),
  listIncreases: organization(MANAGERS),
  // Of no request: budget-increases.test.ts has some.
  grantIncrease: { ...organization(MANAGERS, { amount: 1 }), program: 404, person: 404 },
  declineIncrease: { ...organization(MANAGERS), program: 404, person: 404 },
  // Of no budget.
  tryBudget: { ...organization(MANAGERS), program: 400, person: 400 },
  tryPolicy: organization(MANAGERS),
  setPolicy: organization(MANAGERS, { tool_calls_per_turn: 4 }),
  showLimits: organization(MANAGERS),
  setLimits: organization(MANAGERS, { open_streams: 2 }),
  showRetention: organization(ALL),
  setRetention: organization(OWNERS, { days: 30 }),
  readUsage: organization(ALL),
  readUsageLines: { ...organization(ALL), program: 400, person: 400 },
  listRunning: organization(MANAGERS),
  listTransfers: organization(MANAGERS),
  listTurns: organization(ALL),
  // Of no turn: turns.test.ts shows some.
  showTurn: { ...organization(ALL), program: 404, person: 404 },
  countTurns: organization(ALL),
  // Without its query: turns.test.ts has some.
  groupTurns: { ...organization(ALL), program: 400, person: 400 },
  showTurnSummary: organization(ALL),
  listErrors: organization(ALL),
  sumFailures: organization(ALL),
  findById: organization(ALL),
  listRejections: organization(ALL),
  // Of no request: rejections.test.ts shows some.
  showRejection: { ...organization(ALL), program: 404, person: 404 },
  listEvents: organization(MANAGERS),
  listAudit: organization(MANAGERS),
  listTokens: organization(MANAGERS),
  createToken: organization(MANAGERS, { name: "another", role: "member" }),
  revokeToken: organization(MANAGERS),
};
