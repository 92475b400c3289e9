// Operation to flow: the one place where a route's name meets the function that serves it.
import type { Operation } from "../contract/routes.ts";
import { addItems } from "../flows/add-items.ts";
import { refuseUnread } from "../flows/admission/admit.ts";
import { cancelResponse } from "../flows/cancel-response.ts";
import { createConversation } from "../flows/create-conversation.ts";
import { createResponse } from "../flows/create-response.ts";
import { deleteConversation } from "../flows/delete-conversation.ts";
import { deleteItem } from "../flows/delete-item.ts";
import { deleteResponse } from "../flows/delete-response.ts";
import type { Exchange, Reply } from "../flows/exchange.ts";
import type { Gateway } from "../flows/gateway.ts";
import { listItems } from "../flows/list-items.ts";
import { listModels } from "../flows/list-models.ts";
import { retrieveConversation } from "../flows/retrieve-conversation.ts";
import { retrieveItem } from "../flows/retrieve-item.ts";
import { retrieveResponse } from "../flows/retrieve-response.ts";
import { refuseUnknownRoute } from "../flows/unknown-route.ts";
import { updateConversation } from "../flows/update-conversation.ts";

/** What the server asks of the flows; a table of scripted answers in tests. */
export interface Service {
  /** Before a request is read: refuses what there is no room for. */
  refuseUnread(operation: Operation): void;
  /** The flow of an operation: it answers or throws a refusal. */
  serve(exchange: Exchange): Promise<Reply>;
  /** For every other path under /v1, with its Authorization headers: refuses a bad key, then with the uniform 404. */
  refuseUnknownRoute(authorization: readonly string[]): Promise<Reply>;
  /** Whether new work is welcome and the store answers. */
  isReady(): Promise<boolean>;
}

/** Every operation with its flow; one that is missing does not compile. */
const OPERATIONS: Readonly<Record<Operation, (gateway: Gateway, exchange: Exchange) => Promise<Reply>>> = {
  listModels,
  createResponse,
  retrieveResponse,
  deleteResponse,
  cancelResponse,
  createConversation,
  retrieveConversation,
  updateConversation,
  deleteConversation,
  listItems,
  addItems,
  retrieveItem,
  deleteItem,
};

/** The flows of a gateway, as the server asks for them. */
export function serviceOf(gateway: Gateway): Service {
  return {
    refuseUnread: (operation) => refuseUnread(gateway, operation),
    serve: (exchange) => OPERATIONS[exchange.operation](gateway, exchange),
    refuseUnknownRoute: (authorization) => refuseUnknownRoute(gateway, authorization),
    async isReady() {
      if (gateway.isDraining()) return false;
      const { store, log } = gateway.world;
      try {
        await store.ping();
        return true;
      } catch (error) {
        log.error("store.unavailable", {}, error);
        return false;
      }
    },
  };
}
