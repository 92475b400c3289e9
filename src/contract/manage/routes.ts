// The route table of the management interface, with the roles that may use each route and what it answers. The server
// enforces it, the OpenAPI document publishes it and the tests iterate over it. @spec authentication
import type { ManageShape } from "./resources.ts";
import { EVERYBODY, type ManageRole, MANAGERS, OPERATOR } from "./roles.ts";

/**
 * `public`: no sign-in is needed. `key`: for the holder of an API key, about that key. `self`: about the caller.
 * `platform`: about the whole service. `organization`: about the one in the path, which is a 404 for everyone but its
 * members and the operator.
 */
export type ManageScope = "public" | "key" | "self" | "platform" | "organization";

interface RouteRow {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below that of its group, parameters as `:name`. */
  readonly path: string;
  /** The roles that may use the route; all of them for a public one, none for a holder of an API key. */
  readonly roles: readonly ManageRole[];
  /** The shape of the 200 response. */
  readonly response: ManageShape;
}

const ORGANIZATION = "/organizations/:organization_id";

/** Every route, in the order of the document. Its path is below /manage/api. */
export const MANAGE_ROUTES = [
  ...routes("organization", ORGANIZATION, {
    readUsage: { method: "GET", path: "/usage", roles: EVERYBODY, response: "UsageList" },
    listRunning: { method: "GET", path: "/running", roles: MANAGERS, response: "Running" },
    listTransfers: { method: "GET", path: "/ledger", roles: MANAGERS, response: "TransferPage" },
    listTurns: { method: "GET", path: "/turns", roles: EVERYBODY, response: "TurnPage" },
    showTurn: { method: "GET", path: "/turns/:response_id", roles: EVERYBODY, response: "TurnDetail" },
    countTurns: { method: "GET", path: "/turn-counts", roles: EVERYBODY, response: "TurnCounts" },
    groupTurns: { method: "GET", path: "/turn-groups", roles: EVERYBODY, response: "TurnGroups" },
    showTurnSummary: { method: "GET", path: "/turn-summary", roles: EVERYBODY, response: "TurnSummary" },
    listRejections: { method: "GET", path: "/rejections", roles: EVERYBODY, response: "RejectionPage" },
    showRejection: { method: "GET", path: "/rejections/:request_id", roles: EVERYBODY, response: "RejectionDetail" },
  }),
  ...routes("platform", "", {
    readAllUsage: { method: "GET", path: "/usage", roles: OPERATOR, response: "UsageList" },
    listNodes: { method: "GET", path: "/nodes", roles: OPERATOR, response: "NodeList" },
    listAllRunning: { method: "GET", path: "/running", roles: OPERATOR, response: "AllRunning" },
    eraseDeleted: { method: "POST", path: "/erase", roles: OPERATOR, response: "Erased" },
    reconcile: { method: "GET", path: "/reconciliation", roles: OPERATOR, response: "Reconciliation" },
  }),
] as const;

/** A route; its scope follows from its operation. */
export type ManageRoute = (typeof MANAGE_ROUTES)[number];

export type ManageOperation = ManageRoute["operation"];

/** The operations of a scope. */
export type OperationOf<Scope extends ManageScope> = Extract<ManageRoute, { readonly scope: Scope }>["operation"];

/** The routes of a scope whose paths begin with `base`. */
function routes<Scope extends ManageScope, Operation extends string>(
  scope: Scope,
  base: string,
  rows: Readonly<Record<Operation, RouteRow>>,
) {
  return Object.entries<RouteRow>(rows).map(([operation, row]) => ({
    operation: operation as Operation,
    scope,
    ...row,
    path: base + row.path,
  }));
}
