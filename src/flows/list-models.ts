// GET /v1/models: the whole catalog. @spec endpoints/get-models
import type { ModelList } from "../contract/resources.ts";
import { isWildcard } from "../core/models/wildcards.ts";
import type { Services } from "../ports/services.ts";
import type { Reply } from "./request-context.ts";

/** Lists every model of the catalog, no wildcard; an organization's policy may still deny a listed one. */
export async function listModels({ modelSet }: Pick<Services, "modelSet">): Promise<Reply> {
  const body: ModelList = {
    object: "list",
    data: modelSet()
      .catalog.models.filter((model) => !isWildcard(model))
      .map((model) => ({
        id: model.id,
        object: "model",
        created: model.created,
        owned_by: model.ownedBy,
      })),
  };
  return { kind: "json", body };
}
