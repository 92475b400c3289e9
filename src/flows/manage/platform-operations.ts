// What is about the platform: the operator's.
import { invalidInput, notFound } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import type { OperationOf } from "../../contract/manage/routes.ts";
import { showReconciliation } from "../accounts/spending-shapes.ts";
import { listAudit } from "./audit-page.ts";
import { eraseAll } from "../accounts/erase.ts";
import { createOrganization } from "../accounts/organizations.ts";
import { showOrganization, showToken } from "../accounts/shapes.ts";
import { createToken, revokeToken } from "../accounts/tokens.ts";
import { verifyAudit } from "../accounts/verify-audit.ts";
import type { ManageReply, Visit } from "./visit.ts";

type PlatformOperations = {
  readonly [Operation in OperationOf<"platform">]: (visit: Visit, body: BodyOf<Operation>) => Promise<ManageReply>;
};

export const PLATFORM_OPERATIONS: PlatformOperations = {
  listOrganizations: async ({ world }) => ({
    body: { data: (await world.store.listOrganizations()).map(showOrganization) },
  }),
  createOrganization: async ({ desk }, { name }) => ({ body: showOrganization(await createOrganization(desk, name)) }),

  listAllTokens: async ({ world }) => ({
    body: { data: (await world.store.listTokens({ organizationId: null })).map(showToken) },
  }),
  createOperatorToken: async ({ desk }, { name }) => {
    const { token, secret } = await createToken(desk, { organizationId: null, role: null }, name);
    return { body: { id: token.id, name: token.name, secret } };
  },
  revokeAnyToken: async ({ world, desk, request }) => {
    const token = await world.store.findTokenById({ tokenId: request.params["token_id"] ?? "" });
    if (token === null) throw notFound();
    return { body: await revokeToken(desk, token.id) };
  },

  listAllAudit: async ({ world, request }) => ({ body: await listAudit(world.store, null, request.readQuery()) }),
  verifyAudit: async ({ world, request }) => {
    const given = request.readQuery().get("head") ?? null;
    if (given !== null && !new RegExp(AUDIT_HEAD_PATTERN).test(given)) {
      throw invalidInput("head", "head must be the head of an earlier check: 64 hexadecimal digits.");
    }
    const { checked, head, brokenAt, hasExpected } = await verifyAudit(world.store, given);
    return { body: { checked, head, broken_at: brokenAt, has_head: hasExpected } };
  },
  eraseDeleted: async ({ world, desk }, body) => ({
    body: await eraseAll(desk, body.older_than_days ?? world.erasureAfterDays, { compactsAnySize: false }),
  }),
  reconcile: async ({ world, request }) => {
    const idOrName = request.readQuery().get("organization_id");
    const organization = idOrName === undefined ? null : await world.store.findOrganization({ idOrName });
    if (idOrName !== undefined && organization?.id !== idOrName) throw notFound();
    return { body: showReconciliation(await world.store.reconcile({ organizationId: organization?.id ?? null })) };
  },
};
