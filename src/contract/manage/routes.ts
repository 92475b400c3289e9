// The routes of the management interface and who may use each, as data: the server obeys this table, the OpenAPI document publishes
// it and the tests walk it. @spec authentication
import { MANAGE_ROLES, type ManageRole } from "./roles.ts";

/**
 * What a route is about. `public`: nobody has to be signed in; `self`: whoever asks; `platform`: no organization in particular;
 * `organization`: the one its path names, which for everybody but its own members and the operator is not there.
 */
export type ManageScope = "public" | "self" | "platform" | "organization";

export interface ManageRoute {
  readonly operation: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below /manage/api, parameters as `:name`. */
  readonly path: string;
  readonly scope: ManageScope;
  /** Who may; of a public route everybody. */
  readonly roles: readonly ManageRole[];
}

const EVERYBODY = MANAGE_ROLES;
const OPERATOR = ["operator"] as const;
const OWNER = ["operator", "owner"] as const;
const MANAGERS = ["operator", "owner", "admin"] as const;
const ORGANIZATION = "/organizations/:organization_id";

export const MANAGE_ROUTES = [
  { operation: "signIn", method: "POST", path: "/session", scope: "public", roles: EVERYBODY },
  { operation: "redeemSignInLink", method: "POST", path: "/sign-in-links/redeem", scope: "public", roles: EVERYBODY },
  { operation: "showSession", method: "GET", path: "/session", scope: "self", roles: EVERYBODY },
  { operation: "changePassword", method: "POST", path: "/session/password", scope: "self", roles: EVERYBODY },
  { operation: "signOut", method: "DELETE", path: "/session", scope: "self", roles: EVERYBODY },
  { operation: "listModels", method: "GET", path: "/models", scope: "self", roles: EVERYBODY },

  { operation: "listOrganizations", method: "GET", path: "/organizations", scope: "platform", roles: OPERATOR },
  { operation: "createOrganization", method: "POST", path: "/organizations", scope: "platform", roles: OPERATOR },
  { operation: "showOrganization", method: "GET", path: ORGANIZATION, scope: "organization", roles: EVERYBODY },
  { operation: "renameOrganization", method: "POST", path: ORGANIZATION, scope: "organization", roles: OWNER },
  {
    operation: "suspendOrganization",
    method: "POST",
    path: `${ORGANIZATION}/suspend`,
    scope: "organization",
    roles: OPERATOR,
  },
  {
    operation: "resumeOrganization",
    method: "POST",
    path: `${ORGANIZATION}/resume`,
    scope: "organization",
    roles: OPERATOR,
  },

  { operation: "listMembers", method: "GET", path: `${ORGANIZATION}/members`, scope: "organization", roles: EVERYBODY },
  { operation: "addMember", method: "POST", path: `${ORGANIZATION}/members`, scope: "organization", roles: MANAGERS },
  {
    operation: "setMemberRole",
    method: "POST",
    path: `${ORGANIZATION}/members/:member_id`,
    scope: "organization",
    roles: MANAGERS,
  },
  {
    operation: "removeMember",
    method: "DELETE",
    path: `${ORGANIZATION}/members/:member_id`,
    scope: "organization",
    roles: MANAGERS,
  },
  {
    operation: "createSignInLink",
    method: "POST",
    path: `${ORGANIZATION}/members/:member_id/sign-in-link`,
    scope: "organization",
    roles: MANAGERS,
  },

  { operation: "listKeys", method: "GET", path: `${ORGANIZATION}/keys`, scope: "organization", roles: EVERYBODY },
  { operation: "createKey", method: "POST", path: `${ORGANIZATION}/keys`, scope: "organization", roles: MANAGERS },
  {
    operation: "rotateKey",
    method: "POST",
    path: `${ORGANIZATION}/keys/:key_id/rotate`,
    scope: "organization",
    roles: MANAGERS,
  },
  {
    operation: "revokeKey",
    method: "POST",
    path: `${ORGANIZATION}/keys/:key_id/revoke`,
    scope: "organization",
    roles: MANAGERS,
  },

  {
    operation: "setPaymentMethod",
    method: "POST",
    path: `${ORGANIZATION}/payment-method`,
    scope: "organization",
    roles: OWNER,
  },
  {
    operation: "clearPaymentMethod",
    method: "DELETE",
    path: `${ORGANIZATION}/payment-method`,
    scope: "organization",
    roles: OWNER,
  },
  { operation: "startPlan", method: "POST", path: `${ORGANIZATION}/plan`, scope: "organization", roles: OWNER },
  { operation: "stopPlan", method: "DELETE", path: `${ORGANIZATION}/plan`, scope: "organization", roles: OWNER },
  { operation: "showCredits", method: "GET", path: `${ORGANIZATION}/credits`, scope: "organization", roles: EVERYBODY },
  { operation: "addCredits", method: "POST", path: `${ORGANIZATION}/credits`, scope: "organization", roles: OPERATOR },
  { operation: "listBudgets", method: "GET", path: `${ORGANIZATION}/budgets`, scope: "organization", roles: MANAGERS },
  { operation: "setBudget", method: "POST", path: `${ORGANIZATION}/budgets`, scope: "organization", roles: MANAGERS },
  {
    operation: "clearBudget",
    method: "POST",
    path: `${ORGANIZATION}/budgets/clear`,
    scope: "organization",
    roles: MANAGERS,
  },
  { operation: "setPolicy", method: "POST", path: `${ORGANIZATION}/policy`, scope: "organization", roles: MANAGERS },
  { operation: "setLimits", method: "POST", path: `${ORGANIZATION}/limits`, scope: "organization", roles: OPERATOR },
  { operation: "readUsage", method: "GET", path: `${ORGANIZATION}/usage`, scope: "organization", roles: EVERYBODY },
  { operation: "listAudit", method: "GET", path: `${ORGANIZATION}/audit`, scope: "organization", roles: MANAGERS },

  { operation: "listTokens", method: "GET", path: `${ORGANIZATION}/tokens`, scope: "organization", roles: MANAGERS },
  { operation: "createToken", method: "POST", path: `${ORGANIZATION}/tokens`, scope: "organization", roles: MANAGERS },
  {
    operation: "revokeToken",
    method: "POST",
    path: `${ORGANIZATION}/tokens/:token_id/revoke`,
    scope: "organization",
    roles: MANAGERS,
  },

  { operation: "listAllTokens", method: "GET", path: "/tokens", scope: "platform", roles: OPERATOR },
  { operation: "createOperatorToken", method: "POST", path: "/tokens", scope: "platform", roles: OPERATOR },
  { operation: "revokeAnyToken", method: "POST", path: "/tokens/:token_id/revoke", scope: "platform", roles: OPERATOR },
  { operation: "listAllAudit", method: "GET", path: "/audit", scope: "platform", roles: OPERATOR },
  { operation: "verifyAudit", method: "GET", path: "/audit/verification", scope: "platform", roles: OPERATOR },
  { operation: "eraseDeleted", method: "POST", path: "/erase", scope: "platform", roles: OPERATOR },
  { operation: "reconcile", method: "GET", path: "/reconciliation", scope: "platform", roles: OPERATOR },
] as const satisfies readonly ManageRoute[];

export type ManageOperation = (typeof MANAGE_ROUTES)[number]["operation"];

/** The operations of a scope. */
export type OperationOf<Scope extends ManageScope> = Extract<
  (typeof MANAGE_ROUTES)[number],
  { readonly scope: Scope }
>["operation"];
