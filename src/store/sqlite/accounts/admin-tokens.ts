// Tokens of the management interface: made, found, revoked. @spec authentication
import type { MemberRole } from "../../../contract/manage/roles.ts";
import { AccountError, type NewSecret } from "../../../ports/accounts.ts";
import type { Actor } from "../../../ports/audit.ts";
import type { AdminToken, FoundToken } from "../../../ports/management.ts";
import { record } from "./audit.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { needOrganization } from "./organizations.ts";
import { change, many, one } from "../database/statement.ts";

/** ManagementStore.createToken. */
export const createToken = plain(
  "write",
  (connection, create: { by: Actor; token: AdminToken; secret: NewSecret }, atMs): AdminToken => {
    const { by, token, secret } = create;
    const { organizationId, name, role } = token;
    if (organizationId !== null) needOrganization(connection, organizationId);
    insertToken(connection, { ...token, ...secret });
    const after = { name, scope: role ?? "operator" };
    record(connection, { by, atMs, organizationId, action: "token.create", target: token.id, after });
    return token;
  },
);

/** ManagementStore.findToken. */
export const findToken = plain("point", (connection, query: { lookup: string }): FoundToken | null => {
  const row = selectByLookup(connection, query);
  if (row === undefined) return null;
  const { secretHash, ...token } = row;
  return { secretHash, token: decodeToken(token) };
});

/** ManagementStore.findTokenById. */
export const findTokenById = plain("point", (connection, query: { tokenId: string }): AdminToken | null => {
  const row = selectToken(connection, query);
  return row === undefined ? null : decodeToken(row);
});

/** ManagementStore.listTokens. */
export const listTokens = plain("read", (connection, { organizationId }: { organizationId: string | null }) => {
  const rows = organizationId === null ? selectTokens(connection, {}) : selectTokensOf(connection, { organizationId });
  return rows.map(decodeToken);
});

/** ManagementStore.revokeToken. */
export const revokeToken = plain(
  "write",
  (connection, { by, tokenId, revokedAt }: { by: Actor; tokenId: string; revokedAt: number }, atMs): AdminToken => {
    const token = needToken(connection, tokenId);
    if (token.revokedAt !== null) return token;
    updateRevoked(connection, { tokenId, revokedAt });
    record(connection, {
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

interface TokenRow {
  readonly id: string;
  readonly organizationId: string | null;
  readonly role: string | null;
  readonly name: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

function decodeToken(row: TokenRow): AdminToken {
  return { ...row, role: row.role as MemberRole | null };
}

function needToken(connection: Connection, tokenId: string): AdminToken {
  const row = selectToken(connection, { tokenId });
  if (row === undefined) throw new AccountError(`There is no token ${tokenId}.`);
  return decodeToken(row);
}

const TOKEN_COLUMNS = `
         id,
         organization_id as organizationId,
         role,
         name,
         created_at      as createdAt,
         revoked_at      as revokedAt`;

const selectByLookup = one<{ lookup: string }, TokenRow & { readonly secretHash: string }>(`
  select hash as secretHash, ${TOKEN_COLUMNS}
    from admin_tokens
   where lookup = :lookup
     and revoked_at is null`);

const selectToken = one<{ tokenId: string }, TokenRow>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   where id = :tokenId`);

const selectTokens = many<Record<never, never>, TokenRow>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   order by created_at, rowid`);

const selectTokensOf = many<{ organizationId: string }, TokenRow>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   where organization_id = :organizationId
   order by created_at, rowid`);

const insertToken = change<TokenRow & NewSecret>(`
  insert into admin_tokens (id, organization_id, role, name, lookup, hash, created_at, revoked_at)
  values (:id, :organizationId, :role, :name, :lookup, :hash, :createdAt, :revokedAt)`);

const updateRevoked = change<{ tokenId: string; revokedAt: number }>(`
  update admin_tokens set revoked_at = :revokedAt where id = :tokenId`);
