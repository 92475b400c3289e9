// GET /v1/models: the whole catalog. @spec endpoints/get-models
import type { ModelList } from "../contract/resources.ts";
import type { Flow } from "./flow.ts";

/** Lists every model of the catalog; an organization's policy may still deny a listed one. */
export const listModels: Flow = async (gateway) => {
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
};
