// The operations of /v1: descriptions, bodies, responses and query parameters. @spec endpoints
import { INCLUDE_VALUES } from "../contract/include.ts";
import {
  IDEMPOTENCY_KEY_BYTES_MAX,
  ITEM_LIST_LIMIT_DEFAULT,
  ITEM_LIST_LIMIT_MAX,
  ITEM_LIST_LIMIT_MIN,
} from "../contract/limits.ts";
import type { JsonSchema } from "./json.ts";
import type { Operation } from "../contract/routes.ts";

/** An operation, with the names of its components. */
export interface OperationEntry {
  readonly tag: "Models" | "Responses" | "Conversations" | "Items";
  readonly summary: string;
  readonly description?: string;
  /** Component of the body; absent: it has none. */
  readonly body?: string;
  /** Component of the 200 response. */
  readonly response: string;
  readonly responseDescription: string;
  /** Its query parameters. */
  readonly query?: readonly (keyof typeof QUERY_PARAMETERS)[];
  /** Whether it can stream. */
  readonly streams?: boolean;
}

/** Every operation of the route table. */
export const OPERATIONS: Readonly<Record<Operation, OperationEntry>> = {
  listModels: {
    tag: "Models",
    summary: "List the catalog",
    description:
      "Costs nothing and is not rate limited. An organization's model policy may still forbid a listed model.",
    response: "ModelList",
    responseDescription: "The whole catalog.",
  },
  createResponse: {
    tag: "Responses",
    summary: "Run one model turn and store the result",
    description:
      "A later turn sends only its new input and names `previous_response_id` or `conversation`. Without `stream` the request waits up to 90 seconds; if the turn has not finished by then, the running response is returned and the turn continues. With `stream: true` the result is a stream of events.",
    body: "CreateResponseBody",
    response: "Response",
    responseDescription:
      "The response, or with `stream: true` its events: server-sent events in frames `event: <type>` and `data: <JSON>`, ended by exactly one terminal event. A comment frame is sent every 15 seconds on a quiet stream.",
    streams: true,
  },
  retrieveResponse: {
    tag: "Responses",
    summary: "Retrieve a response as it is now",
    response: "Response",
    responseDescription: "The response. A failed one has `status` `failed` and `error`.",
    query: ["include"],
  },
  deleteResponse: {
    tag: "Responses",
    summary: "Delete a response",
    description:
      "The response can no longer be read or continued; its content is erased after 30 days. Deleting again is not an error.",
    response: "DeletedResponse",
    responseDescription: "The deletion is confirmed.",
  },
  cancelResponse: {
    tag: "Responses",
    summary: "Cancel a running response",
    description: "A finished response is returned unchanged.",
    response: "Response",
    responseDescription: "The current response.",
  },
  createConversation: {
    tag: "Conversations",
    summary: "Create a conversation",
    body: "CreateConversationBody",
    response: "Conversation",
    responseDescription: "The conversation.",
  },
  retrieveConversation: {
    tag: "Conversations",
    summary: "Retrieve a conversation",
    response: "Conversation",
    responseDescription: "The conversation.",
  },
  updateConversation: {
    tag: "Conversations",
    summary: "Replace a conversation's labels",
    description: "Replaces all labels; `{}` clears them. Labels are never sent to a model.",
    body: "UpdateConversationBody",
    response: "Conversation",
    responseDescription: "The conversation with its new labels.",
  },
  deleteConversation: {
    tag: "Conversations",
    summary: "Delete a conversation",
    description: "Its responses are no longer accessible either. Deleting again is not an error.",
    response: "DeletedConversation",
    responseDescription: "The deletion is confirmed.",
  },
  listItems: {
    tag: "Items",
    summary: "List a conversation's items",
    description: "Paginate with `after` = the previous `last_id` while `has_more` is true.",
    response: "ItemList",
    responseDescription: "One page of items in the requested order.",
    query: ["limit", "order", "after", "include"],
  },
  addItems: {
    tag: "Items",
    summary: "Add items to a conversation",
    description: "Added items become context for the next response.",
    body: "AddItemsBody",
    response: "ItemList",
    responseDescription: "The added items.",
    query: ["include"],
  },
  retrieveItem: {
    tag: "Items",
    summary: "Retrieve one item",
    response: "Item",
    responseDescription: "The item.",
    query: ["include"],
  },
  deleteItem: {
    tag: "Items",
    summary: "Delete an item that a client added",
    description: "400 for an item that belongs to a response: delete the response instead.",
    response: "Conversation",
    responseDescription: "The conversation without the item.",
  },
};

/** Query parameters by name. */
export const QUERY_PARAMETERS = {
  include: {
    name: "include",
    in: "query",
    description:
      "Repeat it for several values; `include[]` and `include[0]` are accepted too. Only `reasoning.encrypted_content` returns data.",
    style: "form",
    explode: true,
    schema: { type: "array", items: { type: "string", enum: [...INCLUDE_VALUES] } },
  },
  limit: {
    name: "limit",
    in: "query",
    schema: {
      type: "integer",
      minimum: ITEM_LIST_LIMIT_MIN,
      maximum: ITEM_LIST_LIMIT_MAX,
      default: ITEM_LIST_LIMIT_DEFAULT,
    },
  },
  order: {
    name: "order",
    in: "query",
    description: "`asc`: oldest first.",
    schema: { type: "string", enum: ["asc", "desc"], default: "asc" },
  },
  after: {
    name: "after",
    in: "query",
    description:
      "The id of an item: the page starts after it, in the requested order. 400 if it is empty or not in the conversation.",
    schema: { type: "string", minLength: 1 },
  },
} as const satisfies Record<string, JsonSchema>;

/** The optional header of the operations that create or change something. @spec limits */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A retry with the same key and body within 24 hours returns the result of the first request instead of creating a second one. Printable ASCII.",
  schema: { type: "string", maxLength: IDEMPOTENCY_KEY_BYTES_MAX, pattern: "^[ -~]*$" },
} as const satisfies JsonSchema;
