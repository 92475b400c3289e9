// The catalog of models, with its prices.
import Type from "typebox";
import { pricesIn, seconds } from "./resource-fields.ts";

const { prices, tiers } = pricesIn("USD per million tokens");
export const Model = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  upstream_model: Type.String(),
  group: Type.Array(Type.String()),
  context_window: Type.Integer(),
  max_output_tokens: Type.Integer(),
  default_output_tokens: Type.Integer(),
  thinking: Type.Union([Type.String(), Type.Integer()]),
  forced_tool_choice: Type.Boolean(),
  prices: Type.Object({ ...prices, tiers: Type.Optional(tiers) }),
  owned_by: Type.String(),
  created: seconds,
});
