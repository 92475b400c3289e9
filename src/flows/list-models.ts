// GET /v1/models: the whole catalog. @spec endpoints/get-models
import type { ModelList } from "../contract/resources.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";

/** Answers with every model of the catalog; an organization's policy can still refuse a listed one. */
export async function listModels(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  await admit(gateway, exchange);
  const body: ModelList = {
    object: "list",
    data: gateway.world.catalog.models.map((model) => ({
      id: model.id,
      object: "model",
      created: model.created,
      owned_by: model.ownedBy,
    })),
  };
  return { kind: "json", body };
}
