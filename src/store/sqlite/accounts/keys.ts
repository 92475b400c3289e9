// API keys and their secrets: found, made, rotated, revoked. @spec authentication
import type { KeyPermission } from "../../../contract/manage/keys.ts";
import { AccountError, type ApiKey, type FoundKey, type NewSecret } from "../../../ports/accounts.ts";
import type { Actor } from "../../../ports/audit.ts";
import type { Caller } from "../../../ports/histories.ts";
import { record } from "./audit.ts";
import type { Connection } from "../database/connection.ts";
import { needMember } from "./members.ts";
import { keptUntilCommit } from "../database/kept.ts";
import { plain } from "../database/operation.ts";
import {
  decodeOrganization,
  needOrganization,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_TABLES,
  type OrganizationRow,
} from "./organizations.ts";
import { change, many, one } from "../database/statement.ts";

interface KeyRow {
  readonly id: string;
  readonly organizationId: string;
  readonly memberId: string | null;
  readonly name: string;
  readonly permission: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

const KEY_COLUMNS = `
         k.id,
         k.organization_id as organizationId,
         k.member_id       as memberId,
         k.name,
         k.permission,
         k.created_at      as createdAt,
         k.revoked_at      as revokedAt`;

type FoundKeyRow = KeyRow & OrganizationRow & { readonly secretHash: string; readonly expiresAtMs: number | null };

/** A key with its organization, and until when the secret by which it was found is good. */
interface KeptKey {
  readonly found: FoundKey;
  readonly expiresAtMs: number | null;
}

/** AccountStore.findKey. */
export const findKey = plain("point", (connection, { lookup }: { lookup: string }, nowMs): FoundKey | null => {
  const kept = keepKey(connection, lookup, () => readFoundKey(connection, lookup));
  return kept === undefined || isPast(kept.expiresAtMs, nowMs) ? null : kept.found;
});

/** Every request asks for its key, and keys change seldom. */
const keepKey = keptUntilCommit<KeptKey>();

function readFoundKey(connection: Connection, lookup: string): KeptKey | undefined {
  const row = selectKeyByLookup(connection, { lookup });
  if (row === undefined) return undefined;
  const { secretHash, expiresAtMs } = row;
  return { found: { secretHash, key: decodeKey(row), organization: decodeOrganization(row) }, expiresAtMs };
}

function isPast(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && atMs <= nowMs;
}

/** Whose key it is: a member's, or (null) nobody's; undefined when it is not one of the organization's, or revoked. */
export function findOwner(
  connection: Connection,
  { organizationId, keyId }: Caller,
): { readonly memberId: string | null } | undefined {
  return selectLiveKey(connection, { organizationId, keyId });
}

/** AccountStore.createKey. */
export const createKey = plain("write", (connection, create: KeyCreation, atMs): ApiKey => {
  const { by, key, secret } = create;
  needOrganization(connection, key.organizationId);
  if (key.memberId !== null) needMember(connection, key.organizationId, key.memberId);
  insertKey(connection, { ...key });
  insertSecret(connection, { ...secret, keyId: key.id });
  record(connection, {
    by,
    atMs,
    organizationId: key.organizationId,
    action: "key.create",
    target: key.id,
    after: { name: key.name, member: key.memberId, permissions: key.permission },
  });
  return key;
});

interface KeyCreation {
  readonly by: Actor;
  readonly key: ApiKey;
  readonly secret: NewSecret;
}

/** AccountStore.rotateKey. */
export const rotateKey = plain(
  "write",
  (
    connection,
    rotate: { by: Actor; keyId: string; secret: NewSecret; graceSeconds: number },
    nowMs,
  ): { key: ApiKey; oldSecretValidUntilMs: number } => {
    const { by, keyId, secret, graceSeconds } = rotate;
    const key = needKey(connection, keyId);
    if (key.revokedAt !== null) throw new AccountError(`The key ${key.name} has been revoked.`);
    const oldSecretValidUntilMs = nowMs + graceSeconds * 1000;
    expireSecrets(connection, { keyId, expiresAtMs: oldSecretValidUntilMs });
    insertSecret(connection, { ...secret, keyId });
    record(connection, {
      by,
      atMs: nowMs,
      organizationId: key.organizationId,
      action: "key.rotate",
      target: keyId,
      after: { old_secret_valid_until: Math.floor(oldSecretValidUntilMs / 1000) },
    });
    return { key, oldSecretValidUntilMs };
  },
);

/** AccountStore.revokeKey. */
export const revokeKey = plain(
  "write",
  (connection, query: { by: Actor; keyId: string; revokedAt: number }, atMs): ApiKey => {
    const { by, keyId, revokedAt } = query;
    const key = needKey(connection, keyId);
    if (key.revokedAt !== null) return key;
    updateRevoked(connection, { keyId, revokedAt });
    record(connection, {
      by,
      atMs,
      organizationId: key.organizationId,
      action: "key.revoke",
      target: keyId,
      before: { revoked_at: null },
      after: { revoked_at: revokedAt },
    });
    return { ...key, revokedAt };
  },
);

/** AccountStore.findKeyById. */
export const findKeyById = plain("point", (connection, query: { keyId: string }): ApiKey | null => {
  const row = selectKey(connection, query);
  return row === undefined ? null : decodeKey(row);
});

/** AccountStore.listKeys. */
export const listKeys = plain("point", (connection, query: { organizationId: string }): readonly ApiKey[] =>
  selectKeys(connection, query).map(decodeKey),
);

/** Forgets up to `limit` secrets whose grace is over. */
export const deleteSecretsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from key_secrets
   where rowid in (select rowid from key_secrets where expires_at_ms <= :beforeMs limit +:limit)`);

function decodeKey(row: KeyRow): ApiKey {
  const { id, organizationId, memberId, name, permission, createdAt, revokedAt } = row;
  return { id, organizationId, memberId, name, permission: permission as KeyPermission, createdAt, revokedAt };
}

function needKey(connection: Connection, keyId: string): ApiKey {
  const row = selectKey(connection, { keyId });
  if (row === undefined) throw new AccountError(`There is no key ${keyId}.`);
  return decodeKey(row);
}

const selectKeyByLookup = one<{ lookup: string }, FoundKeyRow>(`
  select s.hash as secretHash, s.expires_at_ms as expiresAtMs, ${KEY_COLUMNS}, ${ORGANIZATION_COLUMNS}
    from key_secrets s
    join api_keys k on k.id = s.key_id
    join ${ORGANIZATION_TABLES}
   where s.lookup = :lookup
     and o.id = k.organization_id
     and k.revoked_at is null`);

const selectLiveKey = one<{ organizationId: string; keyId: string }, { readonly memberId: string | null }>(`
  select member_id as memberId
    from api_keys
   where id = :keyId
     and organization_id = :organizationId
     and revoked_at is null`);

const selectKey = one<{ keyId: string }, KeyRow>(`
  select ${KEY_COLUMNS}
    from api_keys k
   where k.id = :keyId`);

const selectKeys = many<{ organizationId: string }, KeyRow>(`
  select ${KEY_COLUMNS}
    from api_keys k
   where k.organization_id = :organizationId
   order by k.created_at, k.rowid`);

const insertKey = change<KeyRow>(`
  insert into api_keys (id, organization_id, member_id, name, permission, created_at, revoked_at)
  values (:id, :organizationId, :memberId, :name, :permission, :createdAt, :revokedAt)`);

const updateRevoked = change<{ keyId: string; revokedAt: number }>(`
  update api_keys set revoked_at = :revokedAt where id = :keyId`);

const insertSecret = change<NewSecret & { keyId: string }>(`
  insert into key_secrets (lookup, key_id, hash)
  values (:lookup, :keyId, :hash)`);

/** An earlier rotation's shorter grace stays as short. */
const expireSecrets = change<{ keyId: string; expiresAtMs: number }>(`
  update key_secrets
     set expires_at_ms = min(coalesce(expires_at_ms, :expiresAtMs), :expiresAtMs)
   where key_id = :keyId`);
