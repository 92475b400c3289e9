// What can be asked without being signed in.
import type { BodyOf } from "../../contract/manage/bodies.ts";
import type { OperationOf } from "../../contract/manage/routes.ts";
import { showPerson } from "./self-operations.ts";
import { type Begun, redeemSignInLink, signIn } from "./sign-in.ts";
import type { ManageReply } from "./visit.ts";
import type { ManageRequest, ManageWorld } from "./world.ts";

type PublicOperations = {
  readonly [Operation in OperationOf<"public">]: (
    world: ManageWorld,
    request: ManageRequest,
    body: BodyOf<Operation>,
  ) => Promise<ManageReply>;
};

export const PUBLIC_OPERATIONS: PublicOperations = {
  signIn: async (world, request, body) => answer(world, await signIn(world, request, body)),
  redeemSignInLink: async (world, request, body) => answer(world, await redeemSignInLink(world, request, body)),
};

async function answer(world: ManageWorld, { session, secret }: Begun): Promise<ManageReply> {
  return { body: await showPerson(world, session), cookie: { kind: "set", secret } };
}
