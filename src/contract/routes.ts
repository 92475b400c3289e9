// The routes served, as data: everything else under /v1 is the uniform 404. @spec what-the-service-does

/** Which allowance of its organization a request draws on (docs/wire.md, settled 11). */
export type AllowanceClass = "create" | "retrieve" | "delete";

export interface Route {
  readonly operation: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path below /v1, parameters as `:name`. */
  readonly path: string;
  /** null: not rate limited. */
  readonly allowance: AllowanceClass | null;
  /** Whether Idempotency-Key is honoured. @spec limits */
  readonly idempotent: boolean;
  /** What the key's permission must be: `read` for GET, `all` for what changes something. */
  readonly permission: "read" | "all";
  /** Whether the body may be empty (docs/wire.md, objects); null: the route reads no body. */
  readonly body: "required" | "optional" | null;
}

export const ROUTES = [
  {
    operation: "listModels",
    method: "GET",
    path: "/models",
    allowance: null,
    idempotent: false,
    permission: "read",
    body: null,
  },
  {
    operation: "createResponse",
    method: "POST",
    path: "/responses",
    allowance: "create",
    idempotent: true,
    permission: "all",
    body: "required",
  },
  {
    operation: "retrieveResponse",
    method: "GET",
    path: "/responses/:response_id",
    allowance: "retrieve",
    idempotent: false,
    permission: "read",
    body: null,
  },
  {
    operation: "deleteResponse",
    method: "DELETE",
    path: "/responses/:response_id",
    allowance: "delete",
    idempotent: false,
    permission: "all",
    body: null,
  },
  {
    operation: "cancelResponse",
    method: "POST",
    path: "/responses/:response_id/cancel",
    allowance: "delete",
    idempotent: false,
    permission: "all",
    body: null,
  },
  {
    operation: "createConversation",
    method: "POST",
    path: "/conversations",
    allowance: "create",
    idempotent: true,
    permission: "all",
    body: "optional",
  },
  {
    operation: "retrieveConversation",
    method: "GET",
    path: "/conversations/:conversation_id",
    allowance: "retrieve",
    idempotent: false,
    permission: "read",
    body: null,
  },
  {
    operation: "updateConversation",
    method: "POST",
    path: "/conversations/:conversation_id",
    allowance: "create",
    idempotent: true,
    permission: "all",
    body: "required",
  },
  {
    operation: "deleteConversation",
    method: "DELETE",
    path: "/conversations/:conversation_id",
    allowance: "delete",
    idempotent: false,
    permission: "all",
    body: null,
  },
  {
    operation: "listItems",
    method: "GET",
    path: "/conversations/:conversation_id/items",
    allowance: "retrieve",
    idempotent: false,
    permission: "read",
    body: null,
  },
  {
    operation: "addItems",
    method: "POST",
    path: "/conversations/:conversation_id/items",
    allowance: "create",
    idempotent: true,
    permission: "all",
    body: "required",
  },
  {
    operation: "retrieveItem",
    method: "GET",
    path: "/conversations/:conversation_id/items/:item_id",
    allowance: "retrieve",
    idempotent: false,
    permission: "read",
    body: null,
  },
  {
    operation: "deleteItem",
    method: "DELETE",
    path: "/conversations/:conversation_id/items/:item_id",
    allowance: "delete",
    idempotent: false,
    permission: "all",
    body: null,
  },
] as const satisfies readonly Route[];

export type Operation = (typeof ROUTES)[number]["operation"];
