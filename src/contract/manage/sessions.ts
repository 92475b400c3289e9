// Members, their links and their sessions.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { seconds, secret } from "./resource-fields.ts";
import { MEMBER_ROLES } from "./roles.ts";

const role = oneOf(MEMBER_ROLES);
export const Member = Type.Object({ id: Type.String(), email: Type.String(), role });
/** A link that signs in. */
export const link = {
  secret,
  url: Type.String({ description: "a page of the management app, with the secret after the `#`" }),
  expires_at: seconds,
};
export const SignInLink = Type.Object({ member: Member, ...link });
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
