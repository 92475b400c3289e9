// Operations that need no authentication.
import { presentPerson } from "./self-operations.ts";
import { redeemSignInLink, type StartedSession, signIn } from "./sign-in.ts";
import type { ManageReply, Operations, PublicRequest } from "./authorized-request.ts";
import { beginSingleSignOn, finishSingleSignOn } from "./single-sign-on.ts";
import type { ManageServices } from "./services.ts";

/** The operations of the scope `public`. */
export const PUBLIC_OPERATIONS: Operations<"public", PublicRequest, ManageReply> = {
  signIn: async ({ services, request }, body) => reply(services, await signIn(services, request, body)),
  redeemSignInLink: async ({ services, request }, body) =>
    reply(services, await redeemSignInLink(services, request, body)),
  showSignIn: async ({ services: { singleSignOn } }) => ({
    body: {
      passwords: singleSignOn?.policy.isOnlyWay !== true,
      single_sign_on: singleSignOn === null ? null : { name: singleSignOn.policy.name },
    },
    cookies: {},
  }),
  beginSingleSignOn: async ({ services, request }, body) => {
    const { url, kept } = await beginSingleSignOn(services, request, body);
    return { body: { url }, cookies: { keptSignIn: kept } };
  },
  finishSingleSignOn: async ({ services, request }, body) => {
    const { body: person, cookies } = await reply(services, await finishSingleSignOn(services, request, body));
    return { body: person, cookies: { ...cookies, keptSignIn: null } };
  },
};

async function reply(services: ManageServices, { session, secret }: StartedSession): Promise<ManageReply> {
  return { body: await presentPerson(services, session), cookies: { session: secret } };
}
