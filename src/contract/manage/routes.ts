// The route table of the management interface, with the roles that may use each route. The server enforces it, the
// OpenAPI document publishes it and the tests iterate over it. @spec authentication
import { MANAGE_ROLES, type ManageRole } from "./roles.ts";

/**
 * `public`: no sign-in is needed. `key`: for the holder of an API key, about that key. `self`: about the caller.
 * `platform`: about the whole service. `organization`: about the one in the path, which is a 404 for everyone but its
 * members and the operator.
 */
export type ManageScope = "public" | "key" | "self" | "platform" | "organization";

interface RouteRow {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below /manage/api, parameters as `:name`. */
  readonly path: string;
  readonly scope: ManageScope;
  /** The roles that may use the route; all of them for a public one, none for a holder of an API key. */
  readonly roles: readonly ManageRole[];
}

const EVERYBODY = MANAGE_ROLES;
const OPERATOR = ["operator"] as const;
const OWNER = ["operator", "owner"] as const;
const MANAGERS = ["operator", "owner", "admin"] as const;
const ORGANIZATION = "/organizations/:organization_id";
const MEMBER = `${ORGANIZATION}/members/:member_id`;
const KEY = `${ORGANIZATION}/keys/:key_id`;
const INCREASES = `${ORGANIZATION}/budget-increases`;
const TOKEN = `${ORGANIZATION}/tokens/:token_id`;

const TABLE = {
  signIn: { method: "POST", path: "/session", scope: "public", roles: EVERYBODY },
  redeemSignInLink: { method: "POST", path: "/sign-in-links/redeem", scope: "public", roles: EVERYBODY },
  showKeyHolder: { method: "GET", path: "/me", scope: "key", roles: [] },
  requestIncrease: { method: "POST", path: "/me/budget-increases", scope: "key", roles: [] },
  showSignIn: { method: "GET", path: "/sign-in", scope: "public", roles: EVERYBODY },
  beginSingleSignOn: { method: "POST", path: "/single-sign-on", scope: "public", roles: EVERYBODY },
  finishSingleSignOn: { method: "POST", path: "/single-sign-on/finish", scope: "public", roles: EVERYBODY },
  showSession: { method: "GET", path: "/session", scope: "self", roles: EVERYBODY },
  changePassword: { method: "POST", path: "/session/password", scope: "self", roles: EVERYBODY },
  signOut: { method: "DELETE", path: "/session", scope: "self", roles: EVERYBODY },
  listSessions: { method: "GET", path: "/sessions", scope: "self", roles: EVERYBODY },
  endSessions: { method: "DELETE", path: "/sessions", scope: "self", roles: EVERYBODY },
  endSession: { method: "DELETE", path: "/sessions/:session_id", scope: "self", roles: EVERYBODY },
  listModels: { method: "GET", path: "/models", scope: "self", roles: EVERYBODY },

  listOrganizations: { method: "GET", path: "/organizations", scope: "platform", roles: OPERATOR },
  createOrganization: { method: "POST", path: "/organizations", scope: "platform", roles: OPERATOR },
  showOrganization: { method: "GET", path: ORGANIZATION, scope: "organization", roles: EVERYBODY },
  renameOrganization: { method: "POST", path: ORGANIZATION, scope: "organization", roles: OWNER },
  suspendOrganization: { method: "POST", path: `${ORGANIZATION}/suspend`, scope: "organization", roles: OPERATOR },
  resumeOrganization: { method: "POST", path: `${ORGANIZATION}/resume`, scope: "organization", roles: OPERATOR },
  deleteOrganization: { method: "POST", path: `${ORGANIZATION}/delete`, scope: "organization", roles: OPERATOR },

  listMembers: { method: "GET", path: `${ORGANIZATION}/members`, scope: "organization", roles: EVERYBODY },
  addMember: { method: "POST", path: `${ORGANIZATION}/members`, scope: "organization", roles: MANAGERS },
  setMemberRole: { method: "POST", path: MEMBER, scope: "organization", roles: MANAGERS },
  removeMember: { method: "DELETE", path: MEMBER, scope: "organization", roles: MANAGERS },
  createSignInLink: { method: "POST", path: `${MEMBER}/sign-in-link`, scope: "organization", roles: MANAGERS },
  listMemberSessions: { method: "GET", path: `${MEMBER}/sessions`, scope: "organization", roles: MANAGERS },
  endMemberSessions: { method: "DELETE", path: `${MEMBER}/sessions`, scope: "organization", roles: MANAGERS },
  endMemberSession: {
    method: "DELETE",
    path: `${MEMBER}/sessions/:session_id`,
    scope: "organization",
    roles: MANAGERS,
  },

  listKeys: { method: "GET", path: `${ORGANIZATION}/keys`, scope: "organization", roles: EVERYBODY },
  createKey: { method: "POST", path: `${ORGANIZATION}/keys`, scope: "organization", roles: MANAGERS },
  updateKey: { method: "POST", path: KEY, scope: "organization", roles: MANAGERS },
  rotateKey: { method: "POST", path: `${KEY}/rotate`, scope: "organization", roles: MANAGERS },
  revokeKey: { method: "POST", path: `${KEY}/revoke`, scope: "organization", roles: MANAGERS },

  setPaymentMethod: { method: "POST", path: `${ORGANIZATION}/payment-method`, scope: "organization", roles: OWNER },
  clearPaymentMethod: { method: "DELETE", path: `${ORGANIZATION}/payment-method`, scope: "organization", roles: OWNER },
  startPlan: { method: "POST", path: `${ORGANIZATION}/plan`, scope: "organization", roles: OWNER },
  stopPlan: { method: "DELETE", path: `${ORGANIZATION}/plan`, scope: "organization", roles: OWNER },
  showCredits: { method: "GET", path: `${ORGANIZATION}/credits`, scope: "organization", roles: EVERYBODY },
  addCredits: { method: "POST", path: `${ORGANIZATION}/credits`, scope: "organization", roles: OPERATOR },
  listBudgets: { method: "GET", path: `${ORGANIZATION}/budgets`, scope: "organization", roles: MANAGERS },
  setBudget: { method: "POST", path: `${ORGANIZATION}/budgets`, scope: "organization", roles: MANAGERS },
  raiseBudget: { method: "POST", path: `${ORGANIZATION}/budgets/raise`, scope: "organization", roles: MANAGERS },
  clearBudget: { method: "POST", path: `${ORGANIZATION}/budgets/clear`, scope: "organization", roles: MANAGERS },
  tryBudget: { method: "GET", path: `${ORGANIZATION}/budgets/trial`, scope: "organization", roles: MANAGERS },
  listIncreases: { method: "GET", path: INCREASES, scope: "organization", roles: MANAGERS },
  grantIncrease: { method: "POST", path: `${INCREASES}/:increase_id/grant`, scope: "organization", roles: MANAGERS },
  declineIncrease: {
    method: "POST",
    path: `${INCREASES}/:increase_id/decline`,
    scope: "organization",
    roles: MANAGERS,
  },
  setPolicy: { method: "POST", path: `${ORGANIZATION}/policy`, scope: "organization", roles: MANAGERS },
  tryPolicy: { method: "GET", path: `${ORGANIZATION}/policy/trial`, scope: "organization", roles: MANAGERS },
  showLimits: { method: "GET", path: `${ORGANIZATION}/limits`, scope: "organization", roles: MANAGERS },
  setLimits: { method: "POST", path: `${ORGANIZATION}/limits`, scope: "organization", roles: OPERATOR },
  showRetention: { method: "GET", path: `${ORGANIZATION}/retention`, scope: "organization", roles: EVERYBODY },
  setRetention: { method: "POST", path: `${ORGANIZATION}/retention`, scope: "organization", roles: OWNER },
  readUsage: { method: "GET", path: `${ORGANIZATION}/usage`, scope: "organization", roles: EVERYBODY },
  listRunning: { method: "GET", path: `${ORGANIZATION}/running`, scope: "organization", roles: MANAGERS },
  listTransfers: { method: "GET", path: `${ORGANIZATION}/ledger`, scope: "organization", roles: MANAGERS },
  listTurns: { method: "GET", path: `${ORGANIZATION}/turns`, scope: "organization", roles: EVERYBODY },
  showTurn: { method: "GET", path: `${ORGANIZATION}/turns/:response_id`, scope: "organization", roles: EVERYBODY },
  countTurns: { method: "GET", path: `${ORGANIZATION}/turn-counts`, scope: "organization", roles: EVERYBODY },
  groupTurns: { method: "GET", path: `${ORGANIZATION}/turn-groups`, scope: "organization", roles: EVERYBODY },
  showTurnSummary: { method: "GET", path: `${ORGANIZATION}/turn-summary`, scope: "organization", roles: EVERYBODY },
  listRejections: { method: "GET", path: `${ORGANIZATION}/rejections`, scope: "organization", roles: EVERYBODY },
  showRejection: {
    method: "GET",
    path: `${ORGANIZATION}/rejections/:request_id`,
    scope: "organization",
    roles: EVERYBODY,
  },
  listEvents: { method: "GET", path: `${ORGANIZATION}/events`, scope: "organization", roles: MANAGERS },
  listAudit: { method: "GET", path: `${ORGANIZATION}/audit`, scope: "organization", roles: MANAGERS },

  listTokens: { method: "GET", path: `${ORGANIZATION}/tokens`, scope: "organization", roles: MANAGERS },
  createToken: { method: "POST", path: `${ORGANIZATION}/tokens`, scope: "organization", roles: MANAGERS },
  revokeToken: { method: "POST", path: `${TOKEN}/revoke`, scope: "organization", roles: MANAGERS },

  listAllTokens: { method: "GET", path: "/tokens", scope: "platform", roles: OPERATOR },
  createOperatorToken: { method: "POST", path: "/tokens", scope: "platform", roles: OPERATOR },
  revokeAnyToken: { method: "POST", path: "/tokens/:token_id/revoke", scope: "platform", roles: OPERATOR },
  listProviders: { method: "GET", path: "/providers", scope: "platform", roles: OPERATOR },
  checkProviders: { method: "POST", path: "/providers/check", scope: "platform", roles: OPERATOR },
  showConfiguration: { method: "GET", path: "/configuration", scope: "platform", roles: OPERATOR },
  readAllUsage: { method: "GET", path: "/usage", scope: "platform", roles: OPERATOR },
  listNodes: { method: "GET", path: "/nodes", scope: "platform", roles: OPERATOR },
  listAllRunning: { method: "GET", path: "/running", scope: "platform", roles: OPERATOR },
  createOperatorLink: { method: "POST", path: "/operators/sign-in-link", scope: "platform", roles: OPERATOR },
  listOperatorSessions: { method: "GET", path: "/operators/sessions", scope: "platform", roles: OPERATOR },
  endOperatorSession: {
    method: "DELETE",
    path: "/operators/sessions/:session_id",
    scope: "platform",
    roles: OPERATOR,
  },
  listAllEvents: { method: "GET", path: "/events", scope: "platform", roles: OPERATOR },
  listAllAudit: { method: "GET", path: "/audit", scope: "platform", roles: OPERATOR },
  verifyAudit: { method: "GET", path: "/audit/verification", scope: "platform", roles: OPERATOR },
  eraseDeleted: { method: "POST", path: "/erase", scope: "platform", roles: OPERATOR },
  reloadConfiguration: { method: "POST", path: "/configuration/reload", scope: "platform", roles: OPERATOR },
  reconcile: { method: "GET", path: "/reconciliation", scope: "platform", roles: OPERATOR },
} as const satisfies Readonly<Record<string, RouteRow>>;

export type ManageOperation = keyof typeof TABLE;

/** A route; its scope follows from its operation. */
export type ManageRoute = {
  [Operation in ManageOperation]: RouteRow & {
    readonly operation: Operation;
    readonly scope: (typeof TABLE)[Operation]["scope"];
  };
}[ManageOperation];

export const MANAGE_ROUTES = Object.entries(TABLE).map(([operation, row]) => ({
  operation,
  ...row,
})) as readonly ManageRoute[];

/** The operations of a scope. */
export type OperationOf<Scope extends ManageScope> = Extract<ManageRoute, { readonly scope: Scope }>["operation"];
