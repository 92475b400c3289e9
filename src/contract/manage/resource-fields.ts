// Fields that several responses of the management interface have.
import Type from "typebox";

export const seconds = Type.Integer({ description: "Unix seconds" });
export const secret = Type.String({ description: "shown only here" });

/** The figures of usage. */
export const usageSums = {
  responses: Type.Integer(),
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
  credits: Type.Number({ description: "credits charged" }),
};
