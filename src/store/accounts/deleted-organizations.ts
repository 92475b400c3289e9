// Deletes organizations: credentials, budgets and everything that names people at once. The rest is erased in pieces
// (organization-erasure.ts).
import { type AccountStore, NO_LIMITS, NO_POLICY, type Organization } from "../../ports/store/accounts.ts";
import { record } from "./audit.ts";
import { decodedOperation, plainOperation } from "../engine/operation.ts";
import { many, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { lockBalance } from "../money/ledger.ts";
import {
  decodeOrganization,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_TABLES,
  type OrganizationRow,
} from "./organization-row.ts";
import { getAnyOrganization, lockOrganization } from "./organizations.ts";

type Deletion = Parameters<AccountStore["deleteOrganization"]>[0];

/** AccountStore.deleteOrganization. */
export const deleteOrganization = plainOperation(
  "write",
  function* (tx, { by, organizationId }: Deletion, nowMs): Steps<Organization> {
    const of = { organizationId };
    yield* lockBalance(tx, of);
    yield* lockOrganization(tx, of);
    const organization = yield* getAnyOrganization(tx, organizationId);
    if (organization.deletedAtMs !== null) return organization;
    yield* updateDeleted(tx, {
      ...of,
      nowMs,
      policy: JSON.stringify(NO_POLICY),
      limits: JSON.stringify(NO_LIMITS),
    });
    // The keys first, because this waits for a rotation under way: its new secret is deleted then, too.
    yield* revokeKeys(tx, { ...of, revokedAt: Math.floor(nowMs / 1000) });
    yield* deleteSecrets(tx, of);
    yield* deleteTokens(tx, of);
    yield* deleteBudgets(tx, of);
    yield* deleteMembers(tx, of);
    yield* record(tx, { by, atMs: nowMs, organizationId, action: "organization.delete", target: null });
    return yield* getAnyOrganization(tx, organizationId);
  },
);

/** AccountStore.listDeletedOrganizations. */
export const listDeletedOrganizations = decodedOperation(
  "point",
  (tx, { onlyUnerased }: { onlyUnerased: boolean }) => (onlyUnerased ? selectUnerased : selectDeleted)(tx, {}),
  (rows) => rows.map(decodeOrganization),
);

const DELETED = `
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.deleted_at_ms is not null`;

const selectDeleted = many<Record<never, never>, OrganizationRow>(`${DELETED}
   order by o.deleted_at_ms, o.rowid`);

const selectUnerased = many<Record<never, never>, OrganizationRow>(`${DELETED}
     and o.erased_at_ms is null
   order by o.deleted_at_ms, o.rowid`);

/** The name is free for another organization then. */
const updateDeleted = write<{ organizationId: string; nowMs: number; policy: string; limits: string }>(`
  update organizations
     set name           = id,
         plan           = 0,
         payment_method = 0,
         suspended      = 1,
         retention_days = null,
         policy         = :policy,
         limits         = :limits,
         deleted_at_ms  = :nowMs
   where id = :organizationId`);

/** Their rows stay: usage refers to them. */
const revokeKeys = write<{ organizationId: string; revokedAt: number }>(`
  update api_keys
     set name       = id,
         revoked_at = coalesce(revoked_at, :revokedAt)
   where organization_id = :organizationId`);

const deleteSecrets = write<{ organizationId: string }>(`
  delete from key_secrets
   where key_id in (select id from api_keys where organization_id = :organizationId)`);

const deleteTokens = write<{ organizationId: string }>(`
  delete from admin_tokens where organization_id = :organizationId`);

const deleteBudgets = write<{ organizationId: string }>(`
  delete from budgets where organization_id = :organizationId`);

/** With their passwords, links, sessions and identities. */
const deleteMembers = write<{ organizationId: string }>(`
  delete from members where organization_id = :organizationId`);
