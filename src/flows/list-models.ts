// GET /v1/models: the whole catalog. @spec endpoints/get-models
import type { ModelList } from "../contract/resources.ts";
import { admit } from "./access/admit.ts";
import type { RequestContext, Reply } from "./request-context.ts";
import type { Gateway } from "./gateway.ts";

/** Lists every model of the catalog; an organization's policy may still deny a listed one. */
export async function listModels(gateway: Gateway, context: RequestContext): Promise<Reply> {
  await admit(gateway, context);
  const body: ModelList = {
    object: "list",
    data: gateway.services.offer().catalog.models.map((model) => ({
      id: model.id,
      object: "model",
      created: model.created,
      owned_by: model.ownedBy,
    })),
  };
  return { kind: "json", body };
}
