// The catalog of models, with its prices.
import Type from "typebox";
import { seconds } from "./resource-fields.ts";

const prices = {
  input: Type.Number({ description: "USD per million tokens" }),
  cached_input: Type.Number(),
  cache_write: Type.Number(),
  output: Type.Number(),
};
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
  prices: Type.Object({
    ...prices,
    tiers: Type.Optional(
      Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...prices }), {
        description: "prices for longer inputs",
      }),
    ),
  }),
  owned_by: Type.String(),
  created: seconds,
});
