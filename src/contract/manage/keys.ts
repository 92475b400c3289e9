// API keys.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { UNANSWERED_CALLS } from "../requests.ts";
import { KEY_PERMISSIONS } from "./key-options.ts";
import { seconds, secret } from "./resource-fields.ts";

const key = {
  id: Type.String(),
  name: Type.String(),
  member: orNull(Type.String()),
  permissions: oneOf(KEY_PERMISSIONS),
  unanswered_calls: oneOf(UNANSWERED_CALLS),
  created: seconds,
  revoked_at: orNull(seconds),
};
export const Key = Type.Object(key);
export const ListedKey = Type.Object({
  ...key,
  last_used_at: orNull(Type.Integer({ description: "when its last turn began, Unix seconds" })),
  old_secret_valid_until: orNull(
    Type.Integer({ description: "when the grace of a rotated secret ends, Unix seconds; null: there is none" }),
  ),
});
export const NewKey = Type.Object({ id: Type.String(), name: Type.String(), secret });
export const RotatedKey = Type.Object({ id: Type.String(), secret, old_secret_valid_until: seconds });
export const Revoked = Type.Object({ id: Type.String(), revoked_at: orNull(seconds) });
