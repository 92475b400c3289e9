// Maps each operation of the route table to its flow.
import type { ApiError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/routes.ts";
import { addItems } from "../../flows/conversations/add-items.ts";
import { admit, type Admitted, assertCapacity } from "../../flows/access/admit.ts";
import { cancelResponse } from "../../flows/responses/cancel-response.ts";
import { createConversation } from "../../flows/conversations/create-conversation.ts";
import { createResponse } from "../../flows/responses/create-response.ts";
import { deleteConversation } from "../../flows/conversations/delete-conversation.ts";
import { deleteItem } from "../../flows/conversations/delete-item.ts";
import { deleteResponse } from "../../flows/responses/delete-response.ts";
import type { RequestContext, Reply } from "../../flows/request-context.ts";
import type { LifeCycle, AllServices } from "../../flows/gateway.ts";
import { listItems } from "../../flows/conversations/list-items.ts";
import { listModels } from "../../flows/list-models.ts";
import { retrieveConversation } from "../../flows/conversations/retrieve-conversation.ts";
import { retrieveItem } from "../../flows/conversations/retrieve-item.ts";
import { retrieveResponse } from "../../flows/responses/retrieve-response.ts";
import type { RejectedRequest } from "../../flows/rejections/rejection-log.ts";
import { rejectUnknownRoute } from "../../flows/unknown-route.ts";
import { updateConversation } from "../../flows/conversations/update-conversation.ts";

/** The flows of /v1 as its server calls them; tests replace them. */
export interface V1Flows {
  /** Throws 503 `gateway_overloaded` before the body is read if there is no capacity. */
  assertCapacity(operation: Operation): void;
  /** Admits the caller and runs the flow of the operation; throws an ApiError. */
  serve(context: RequestContext): Promise<Reply>;
  /** For every other target under /v1: throws 401 for a bad key, else the uniform 404. */
  rejectUnknownRoute(authorization: readonly string[], target: string): Promise<never>;
  /** Keeps a rejected request for those who ask why; costs little and never throws. */
  keepRejection(request: RejectedRequest, error: ApiError): void;
  /** Whether new work is accepted and the store responds. */
  isReady(): Promise<boolean>;
}

/** What an operation does for a caller that was admitted (flows/access/admit.ts); throws an ApiError. */
type Flow = (services: AllServices, context: RequestContext, admitted: Admitted) => Promise<Reply>;

const OPERATIONS: Readonly<Record<Operation, Flow>> = {
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

/** The flows of a process. */
export function v1FlowsOf(
  services: AllServices,
  { isStopping, leftBehind }: Pick<LifeCycle, "isStopping" | "leftBehind">,
): V1Flows {
  const { store, log } = services;
  return {
    assertCapacity: (operation) => assertCapacity(services, operation),
    async serve(context) {
      const error = leftBehind();
      if (error !== null) throw error;
      return OPERATIONS[context.operation](services, context, await admit(services, context));
    },
    rejectUnknownRoute: (authorization, target) => rejectUnknownRoute(services, authorization, target),
    keepRejection: services.rejections.keep,
    async isReady() {
      if (isStopping() || !services.isMember()) return false;
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
