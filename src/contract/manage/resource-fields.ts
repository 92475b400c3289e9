// Fields that several responses of the management interface have.
import Type, { type TSchema } from "typebox";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../money.ts";
import { oneOf, orNull } from "../shapes.ts";

/** A time. Commands print one as people read it. */
export const time = (description: string) => Type.Integer({ format: "unixtime", description });
export const seconds = time("Unix seconds");
export const baseUrl = Type.String({
  description: "the base URL of `/v1` for clients: `server.public_url`, or where it listens",
});
export const usdPerCredit = Type.Number({ description: "the value of a credit in USD" });
export const secret = Type.String({ description: "shown only here" });

export const tokenCounts = {
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
};

/** What tells a budget from the others of its organization. */
export const budgetName = {
  scope: oneOf(BUDGET_SCOPES),
  id: orNull(Type.String()),
  period: oneOf(BUDGET_PERIODS),
};

/** The prices of a model, and those for longer inputs. */
export function pricesIn(unit: string) {
  const prices = {
    input: Type.Number({ description: unit }),
    cached_input: Type.Number(),
    cache_write: Type.Number(),
    output: Type.Number(),
  };
  const tier = Type.Object({ above_input_tokens: Type.Integer(), ...prices });
  return { prices, tiers: Type.Array(tier, { description: "prices for longer inputs" }) };
}

/** A page of a list that is read from the newest entry on. */
export function olderPage<Entry extends TSchema>(entry: Entry) {
  return Type.Object(
    {
      data: Type.Array(entry),
      has_more: Type.Boolean(),
      older: orNull(Type.Integer({ description: "`before` of the next older page; null on the oldest" })),
    },
    { description: "Newest first." },
  );
}
