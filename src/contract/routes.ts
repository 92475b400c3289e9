// The route table of /v1; every other path is the uniform 404. @spec what-the-service-does

/** The allowances of an organization that requests count against (docs/wire.md, Allowance classes). */
export const ALLOWANCE_CLASSES = ["create", "retrieve", "delete"] as const;
export type AllowanceClass = (typeof ALLOWANCE_CLASSES)[number];

interface RouteRow {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below /v1, parameters as `:name`. */
  readonly path: string;
  /** Null: not rate limited. */
  readonly allowance: AllowanceClass | null;
  /** Whether Idempotency-Key is supported. @spec limits */
  readonly idempotent?: true;
  /** Whether the body may be empty (docs/wire.md, Objects); absent: the route has no body. */
  readonly body?: "required" | "optional";
}

const CONVERSATION = "/conversations/:conversation_id";

const TABLE = {
  listModels: { method: "GET", path: "/models", allowance: null },
  createResponse: { method: "POST", path: "/responses", allowance: "create", idempotent: true, body: "required" },
  retrieveResponse: { method: "GET", path: "/responses/:response_id", allowance: "retrieve" },
  deleteResponse: { method: "DELETE", path: "/responses/:response_id", allowance: "delete" },
  cancelResponse: { method: "POST", path: "/responses/:response_id/cancel", allowance: "delete" },
  createConversation: {
    method: "POST",
    path: "/conversations",
    allowance: "create",
    idempotent: true,
    body: "optional",
  },
  retrieveConversation: { method: "GET", path: CONVERSATION, allowance: "retrieve" },
  updateConversation: { method: "POST", path: CONVERSATION, allowance: "create", idempotent: true, body: "required" },
  deleteConversation: { method: "DELETE", path: CONVERSATION, allowance: "delete" },
  listItems: { method: "GET", path: `${CONVERSATION}/items`, allowance: "retrieve" },
  addItems: { method: "POST", path: `${CONVERSATION}/items`, allowance: "create", idempotent: true, body: "required" },
  retrieveItem: { method: "GET", path: `${CONVERSATION}/items/:item_id`, allowance: "retrieve" },
  deleteItem: { method: "DELETE", path: `${CONVERSATION}/items/:item_id`, allowance: "delete" },
} as const satisfies Readonly<Record<string, RouteRow>>;

export type Operation = keyof typeof TABLE;

export interface Route extends Required<Omit<RouteRow, "idempotent" | "body">> {
  readonly operation: Operation;
  readonly idempotent: boolean;
  /** The permission that a key needs: `read` for GET, `all` for everything else. */
  readonly permission: "read" | "all";
  /** Null: the route has no body. */
  readonly body: "required" | "optional" | null;
}

export const ROUTES: readonly Route[] = Object.entries<RouteRow>(TABLE).map(([operation, row]) => ({
  operation: operation as Operation,
  idempotent: false,
  permission: row.method === "GET" ? "read" : "all",
  body: null,
  ...row,
}));

/** The routes by their operation. */
export const ROUTE_OF = Object.fromEntries(ROUTES.map((route) => [route.operation, route])) as Record<Operation, Route>;
