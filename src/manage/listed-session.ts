// A session in a list, and a link that starts one, of members and of operators.
import Type, { type Static } from "typebox";
import { orNull } from "../contract/shapes.ts";
import { seconds, secret, time } from "../contract/manage/resource-fields.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/management.ts";

/** A link that signs in. */
export const link = {
  secret,
  url: Type.String({ description: "a page of the management app, with the secret after the `#`" }),
  expires_at: seconds,
};

export const ListedSession = Type.Object({
  id: Type.String(),
  created: seconds,
  last_used: time("Unix seconds, to the minute"),
  expires_at: seconds,
  address: orNull(
    Type.String({
      description:
        "the network address that it was started from; a proxy's if there is one that `server.trusted_proxies` does not name",
    }),
  ),
  user_agent: orNull(Type.String({ description: "the program that started it, by its `user-agent`" })),
  current: Type.Boolean({ description: "whether it is this request's session" }),
});

/** `currentId` is the session of the request. */
export function presentSession(
  { id, startedAtMs, usedAtMs, expiresAtMs, address, userAgent }: stored.ListedSession,
  currentId: string | null,
): Static<typeof ListedSession> {
  return {
    id,
    created: secondsOf(startedAtMs),
    last_used: secondsOf(usedAtMs),
    expires_at: secondsOf(expiresAtMs),
    address,
    user_agent: userAgent,
    current: id === currentId,
  };
}
