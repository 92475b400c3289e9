// How the configured providers do.
import Type from "typebox";
import { FAILURE_CODES } from "../failures.ts";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { PROVIDER_WINDOW_MINUTES } from "./limits.ts";
import { seconds } from "./resource-fields.ts";

/** A row of `GET /providers`. */
export const ProviderHealth = Type.Object({
  name: Type.String(),
  type: Type.String(),
  models: Type.Integer({ description: "models of the catalog that it serves" }),
  last_success_at: orNull(seconds),
  last_failure: orNull(
    Type.Object({
      at: seconds,
      code: oneOf(FAILURE_CODES),
      status: orNull(Type.Integer({ description: "of the provider's HTTP response" })),
      request_id: orNull(Type.String({ description: "the provider's own" })),
    }),
  ),
  recent: Type.Object(
    {
      calls: Type.Integer(),
      failures: Type.Integer(),
      by_code: Type.Array(Type.Object({ code: oneOf(FAILURE_CODES), failures: Type.Integer() })),
    },
    { description: `The last ${PROVIDER_WINDOW_MINUTES} minutes.` },
  ),
});
