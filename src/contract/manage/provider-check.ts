// What the configured providers reply when they are asked. docs/management.md
import Type from "typebox";
import { orNull } from "../or-null.ts";

const CheckedKey = Type.Object({
  position: orNull(
    Type.Integer({ description: "of the key among those of the provider, from 1; null: it was asked without a key" }),
  ),
  ok: Type.Boolean(),
  detail: Type.String({ description: "what was found, in words; never a key" }),
  duration_ms: Type.Integer({ description: "from the question to its reply" }),
});

/** The 200 response of `POST /providers/check`. */
export const ProviderCheck = Type.Object({
  checked_at: Type.Integer({ description: "when the check ended, Unix seconds" }),
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      ok: Type.Boolean({ description: "every key works" }),
      keys: Type.Array(CheckedKey),
    }),
    { description: "In the order of the configuration." },
  ),
});
