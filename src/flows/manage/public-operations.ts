// Operations that need no authentication.
import { presentPerson } from "./self-operations.ts";
import { redeemSignInLink, type StartedSession, signIn } from "./sign-in.ts";
import type { ManageReply, Operations, PublicRequest } from "./authorized-request.ts";
import type { ManageServices } from "./services.ts";

export const PUBLIC_OPERATIONS: Operations<"public", PublicRequest, ManageReply> = {
  signIn: async ({ services, request }, body) => reply(services, await signIn(services, request, body)),
  redeemSignInLink: async ({ services, request }, body) =>
    reply(services, await redeemSignInLink(services, request, body)),
};

async function reply(services: ManageServices, { session, secret }: StartedSession): Promise<ManageReply> {
  return { body: await presentPerson(services, session), cookie: { kind: "set", secret } };
}
