// Tokens of the management interface: created, found, revoked. @spec authentication
import { AccountError, type NewSecret } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { AdminToken, FoundToken } from "../../ports/store/management.ts";
import { record } from "./audit.ts";
import type { Steps } from "../engine/transaction.ts";
import { plainOperation } from "../engine/operation.ts";
import { getOrganization, lockOrganization } from "./organizations.ts";
import { lock, many, one, write } from "../engine/statement.ts";

/** ManagementStore.createToken. */
export const createToken = plainOperation(
  "write",
  function* (tx, create: { by: Actor; token: AdminToken; secret: NewSecret }, atMs): Steps<AdminToken> {
    const { by, token, secret } = create;
    const { organizationId, name, role, permissions, expiresAt } = token;
    if (organizationId !== null) {
      yield* lockOrganization(tx, { organizationId });
      yield* getOrganization(tx, organizationId);
    }
    yield* insertToken(tx, {
      root: null,
      ...token,
      ...secret,
      lookup: storedLookup(token, secret.lookup),
    });
    const after = { name, scope: role ?? "operator", permissions, expires_at: expiresAt };
    yield* record(tx, { by, atMs, organizationId, action: "token.create", target: token.id, after });
    return token;
  },
);

/** ManagementStore.findToken. */
export const findToken = plainOperation(
  "point",
  function* (tx, { lookup }: { lookup: string }, nowMs): Steps<FoundToken | null> {
    const row = yield* selectByLookup(tx, { lookup, limited: limitedLookup(lookup) });
    if (row === undefined || (row.expiresAt !== null && row.expiresAt * 1000 <= nowMs)) return null;
    const { secretHash, ...token } = row;
    return { secretHash, token };
  },
);

/**
 * How a limited token is looked up. A release that knows no limits looks for the bare one: it rejects the token instead
 * of letting it do everything, during an upgrade and after a return to it.
 */
export function limitedLookup(lookup: string): string {
  return `limited ${lookup}`;
}

function storedLookup({ permissions, expiresAt }: AdminToken, lookup: string): string {
  return permissions === "all" && expiresAt === null ? lookup : limitedLookup(lookup);
}

/** ManagementStore.findTokenById. */
export const findTokenById = plainOperation(
  "point",
  function* (tx, query: { tokenId: string }): Steps<AdminToken | null> {
    return (yield* selectToken(tx, query)) ?? null;
  },
);

/** ManagementStore.listTokens. */
export const listTokens = plainOperation("read", (tx, { organizationId }: { organizationId: string | null }) =>
  organizationId === null ? selectTokens(tx, {}) : selectTokensOf(tx, { organizationId }),
);

/** ManagementStore.revokeToken. */
export const revokeToken = plainOperation(
  "write",
  function* (
    tx,
    { by, tokenId, revokedAt }: { by: Actor; tokenId: string; revokedAt: number },
    atMs,
  ): Steps<AdminToken> {
    yield* lockToken(tx, { tokenId });
    const token = yield* selectToken(tx, { tokenId });
    if (token === undefined) throw new AccountError(`There is no token ${tokenId}.`);
    if (token.revokedAt !== null) return token;
    yield* updateRevoked(tx, { tokenId, revokedAt });
    yield* record(tx, {
      by,
      atMs,
      organizationId: token.organizationId,
      action: "token.revoke",
      target: tokenId,
      before: { revoked_at: null },
      after: { revoked_at: revokedAt },
    });
    return { ...token, revokedAt };
  },
);

const TOKEN_COLUMNS = `
         id,
         organization_id as organizationId,
         role,
         name,
         permissions,
         created_at      as createdAt,
         expires_at      as expiresAt,
         revoked_at      as revokedAt`;

const selectByLookup = one<{ lookup: string; limited: string }, AdminToken & { readonly secretHash: string }>(`
  select hash as secretHash, ${TOKEN_COLUMNS}
    from admin_tokens
   where lookup in (:lookup, :limited)
     and revoked_at is null`);

/** Lets no other transaction revoke a token. */
const lockToken = lock<{ tokenId: string }>(`
  select id from admin_tokens where id = :tokenId`);

const selectToken = one<{ tokenId: string }, AdminToken>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   where id = :tokenId`);

const selectTokens = many<Record<never, never>, AdminToken>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   order by created_at, rowid`);

const selectTokensOf = many<{ organizationId: string }, AdminToken>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   where organization_id = :organizationId
   order by created_at, rowid`);

const insertToken = write<AdminToken & Omit<NewSecret, "root"> & { root: string | null }>(`
  insert into admin_tokens (id, organization_id, role, name, permissions, lookup, hash, root, created_at, expires_at, revoked_at)
  values (:id, :organizationId, :role, :name, :permissions, :lookup, :hash, :root, :createdAt, :expiresAt, :revokedAt)`);

const updateRevoked = write<{ tokenId: string; revokedAt: number }>(`
  update admin_tokens set revoked_at = :revokedAt where id = :tokenId`);
