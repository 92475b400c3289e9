// Links that sign in, and sessions.
import Type from "typebox";
import { orNull } from "../or-null.ts";
import { seconds, secret } from "./resource-fields.ts";

/** A link that signs in. */
export const link = {
  secret,
  url: Type.String({ description: "a page of the management app, with the secret after the `#`" }),
  expires_at: seconds,
};
export const ListedSession = Type.Object({
  id: Type.String(),
  created: seconds,
  last_used: Type.Integer({ description: "Unix seconds, to the minute" }),
  expires_at: seconds,
  address: orNull(
    Type.String({ description: "the network address that it was started from, a proxy's if there is one" }),
  ),
  user_agent: orNull(Type.String({ description: "the program that it was started with, as it names itself" })),
  current: Type.Boolean({ description: "whether it is the session of this request" }),
});
