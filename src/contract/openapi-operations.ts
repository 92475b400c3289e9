// What each operation takes and answers besides its errors. @spec endpoints
import { INCLUDE_VALUES } from "./include.ts";
import {
  IDEMPOTENCY_KEY_BYTES_MAX,
  ITEM_LIST_LIMIT_DEFAULT,
  ITEM_LIST_LIMIT_MAX,
  ITEM_LIST_LIMIT_MIN,
} from "./limits.ts";
import type { JsonSchema } from "./openapi-json.ts";
import type { Operation } from "./routes.ts";

/** One operation in words and by the names of its components. */
export interface OperationEntry {
  readonly tag: "Models" | "Responses" | "Conversations" | "Items";
  readonly summary: string;
  readonly description?: string;
  /** Component of its body; absent where it reads none. */
  readonly body?: string;
  /** Component of its 200 answer. */
  readonly answer: string;
  readonly answerDescription: string;
  /** Query parameters that it reads. */
  readonly query?: readonly (keyof typeof QUERY_PARAMETERS)[];
  /** Whether it streams on request. */
  readonly streams?: boolean;
}

/** Every operation of the route table. */
export const OPERATION_ENTRIES: Readonly<Record<Operation, OperationEntry>> = {
  listModels: {
    tag: "Models",
    summary: "List the catalog",
    description:
      "Costs nothing and is not rate limited. An organization's model policy can still refuse a listed model.",
    answer: "ModelList",
    answerDescription: "The whole catalog.",
  },
  createResponse: {
    tag: "Responses",
    summary: "Run one model turn and store the result",
    description:
      "A later turn sends only its new input and names `previous_response_id` or `conversation`. Without `stream` the request waits up to 90 seconds; an unfinished turn is answered with its running response and goes on. With `stream: true` the answer is a stream of events.",
    body: "CreateResponseBody",
    answer: "Response",
    answerDescription:
      "The response, or with `stream: true` its events: server-sent frames `event: <type>` and `data: <JSON>`, ended by exactly one terminal event. A comment frame is sent every 15 seconds on a quiet stream.",
    streams: true,
  },
  retrieveResponse: {
    tag: "Responses",
    summary: "Retrieve a response as it is now",
    answer: "Response",
    answerDescription: "The response; a failed one too, with `status` `failed` and `error`.",
    query: ["include"],
  },
  deleteResponse: {
    tag: "Responses",
    summary: "Delete a response",
    description:
      "Not readable and not continuable any more; content is erased 30 days later. A repeated delete is no error.",
    answer: "DeletedResponse",
    answerDescription: "It is deleted.",
  },
  cancelResponse: {
    tag: "Responses",
    summary: "Cancel a running response",
    description: "A finished response is answered unchanged.",
    answer: "Response",
    answerDescription: "The response as it is now.",
  },
  createConversation: {
    tag: "Conversations",
    summary: "Create a conversation",
    body: "CreateConversationBody",
    answer: "Conversation",
    answerDescription: "The conversation.",
  },
  retrieveConversation: {
    tag: "Conversations",
    summary: "Retrieve a conversation",
    answer: "Conversation",
    answerDescription: "The conversation.",
  },
  updateConversation: {
    tag: "Conversations",
    summary: "Replace a conversation's labels",
    description: "Replaces all labels; `{}` clears them. Labels are never sent to a model.",
    body: "UpdateConversationBody",
    answer: "Conversation",
    answerDescription: "The conversation with its new labels.",
  },
  deleteConversation: {
    tag: "Conversations",
    summary: "Delete a conversation",
    description: "Its responses are not accessible any more either. A repeated delete is no error.",
    answer: "DeletedConversation",
    answerDescription: "It is deleted.",
  },
  listItems: {
    tag: "Items",
    summary: "List a conversation's items",
    description: "Paginate with `after` = the previous `last_id` while `has_more` is true.",
    answer: "ItemList",
    answerDescription: "One page of items in the requested order.",
    query: ["limit", "order", "after", "include"],
  },
  addItems: {
    tag: "Items",
    summary: "Add items to a conversation",
    description: "Added items become context for the next response.",
    body: "AddItemsBody",
    answer: "ItemList",
    answerDescription: "The added items.",
    query: ["include"],
  },
  retrieveItem: {
    tag: "Items",
    summary: "Retrieve one item",
    answer: "Item",
    answerDescription: "The item.",
    query: ["include"],
  },
  deleteItem: {
    tag: "Items",
    summary: "Remove an item that a client added",
    description: "An item that belongs to a response is refused: delete the response.",
    answer: "Conversation",
    answerDescription: "The conversation without the item.",
  },
};

/** Query parameters by name. */
export const QUERY_PARAMETERS = {
  include: {
    name: "include",
    in: "query",
    description:
      "Repeated for several values; `include[]` and `include[0]` are taken too. Only `reasoning.encrypted_content` returns data.",
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
    description: "An item's id: the page starts behind it, in the requested order.",
    schema: { type: "string" },
  },
} as const satisfies Record<string, JsonSchema>;

/** The optional header of the operations that create or change something. @spec limits */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A retry with the same key and body within 24 hours gets the first request's result instead of a second one. Printable ASCII.",
  schema: { type: "string", maxLength: IDEMPOTENCY_KEY_BYTES_MAX, pattern: "^[ -~]*$" },
} as const satisfies JsonSchema;
