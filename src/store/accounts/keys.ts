// API keys and their secrets: found, created, rotated, revoked. @spec authentication
import { DAY_SECONDS } from "../../base/time.ts";
import { KEYS_MAX } from "../../contract/manage/limits.ts";
import {
  AccountError,
  type AccountPage,
  type AccountStore,
  type ApiKey,
  KEY_DEFAULTS,
  type FoundKey,
  type ListedKey,
  type NewSecret,
} from "../../ports/store/accounts.ts";
import { type KeyLimits, nameKeyLimits } from "../../ports/store/limits.ts";
import type { AuditValues } from "../../ports/store/audit.ts";
import { record } from "./audit.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { getMember } from "./members.ts";
import { cacheUntilCommit } from "../engine/read-cache.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { revoke } from "./key-revocation.ts";
import { decodeKey, decodeListedKey, encodeKeyLimits, KEY_COLUMNS, type KeyRow, type ListedKeyRow } from "./key-row.ts";
import { decodeOrganization, ORGANIZATION_COLUMNS, type OrganizationRow } from "./organization-row.ts";
import { getOrganization, lockOrganization } from "./organizations.ts";
import { change, lock, many, one, write } from "../engine/statement.ts";

type FoundKeyRow = KeyRow & OrganizationRow & { readonly secretHash: string; readonly expiresAtMs: number | null };

type KeyCreation = Parameters<AccountStore["createKey"]>[0];
type KeyUpdate = Parameters<AccountStore["updateKey"]>[0];
type KeyRotation = Parameters<AccountStore["rotateKey"]>[0];
type KeyRevocation = Parameters<AccountStore["revokeKey"]>[0];

/** AccountStore.findKey. */
export const findKey = plainProcedure(
  "point",
  function* (tx, { lookup }: { lookup: string }, nowMs): Steps<FoundKey | null> {
    const found = yield* cacheKey(tx, lookup, () => readFoundKey(tx, lookup));
    return found === undefined || isPast(found.secretExpiresAtMs, nowMs) ? null : found;
  },
);

/** Kept until the next commit, so that a revocation counts at once: every request reads its key. */
const cacheKey = cacheUntilCommit<FoundKey>();

function* readFoundKey(tx: Transaction, lookup: string): Steps<FoundKey | undefined> {
  const row = yield* selectKeyByLookup(tx, { lookup });
  if (row === undefined) return undefined;
  const { secretHash, expiresAtMs: secretExpiresAtMs } = row;
  return { secretHash, secretExpiresAtMs, key: decodeKey(row), organization: decodeOrganization(row) };
}

function isPast(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && atMs <= nowMs;
}

/** A key that is not revoked: the member who owns it, or null, and whether its organization has a budget. */
interface LiveKey {
  readonly memberId: string | null;
  readonly hasBudgets: 0 | 1;
}

/** AccountStore.createKey. */
export const createKey = plainProcedure("write", insertNewKey);

/** Inserts a key of an organization that is there, and of a member of it. */
export function* insertNewKey(tx: Transaction, create: KeyCreation, atMs: number): Steps<ApiKey> {
  const { by, secret } = create;
  const key: ApiKey = { ...KEY_DEFAULTS, ...create.key };
  yield* lockOrganization(tx, { organizationId: key.organizationId });
  yield* getOrganization(tx, key.organizationId);
  if (key.memberId !== null) yield* getMember(tx, key.organizationId, key.memberId);
  if (((yield* countLiveKeys(tx, key))?.keys ?? 0) >= KEYS_MAX) {
    throw new AccountError(
      `An organization has at most ${KEYS_MAX} keys that are not revoked: revoke those that nobody uses.`,
    );
  }
  const since = Math.floor(atMs / 1000) - DAY_SECONDS;
  if (((yield* countNewKeys(tx, { ...key, since }))?.keys ?? 0) >= KEYS_MAX) {
    throw new AccountError(`An organization makes at most ${KEYS_MAX} keys in 24 hours, revoked ones too.`);
  }
  const { limits, ...row } = key;
  yield* insertKey(tx, { ...row, keyLimits: encodeKeyLimits(limits) });
  yield* insertSecret(tx, { root: null, ...secret, keyId: key.id });
  yield* record(tx, {
    by,
    atMs,
    organizationId: key.organizationId,
    action: "key.create",
    target: key.id,
    after: {
      name: key.name,
      member: key.memberId,
      permissions: key.permission,
      unanswered_calls: key.unansweredCalls,
      ...definedLimits(limits),
    },
  });
  return key;
}

/** AccountStore.updateKey. */
export const updateKey = plainProcedure("write", function* (tx, update: KeyUpdate, atMs): Steps<ApiKey> {
  const { by, keyId } = update;
  yield* lockKey(tx, { keyId });
  const before = yield* getLiveKey(tx, keyId);
  const { unansweredCalls = before.unansweredCalls } = update;
  const limits = { ...before.limits, ...update.limits };
  yield* updateDefaults(tx, { keyId, unansweredCalls, keyLimits: encodeKeyLimits(limits) });
  yield* record(tx, {
    by,
    atMs,
    organizationId: before.organizationId,
    action: "key.update",
    target: keyId,
    before: { unanswered_calls: before.unansweredCalls, ...nameKeyLimits(before.limits) },
    after: { unanswered_calls: unansweredCalls, ...nameKeyLimits(limits) },
  });
  return { ...before, unansweredCalls, limits };
});

/** Those that are set, by their names. */
function definedLimits(limits: KeyLimits): AuditValues {
  return Object.fromEntries(Object.entries(nameKeyLimits(limits)).filter(([, limit]) => limit !== null));
}

/** AccountStore.rotateKey. */
export const rotateKey = plainProcedure("write", function* (tx, rotate: KeyRotation, nowMs): Steps<{
  key: ApiKey;
  oldSecretValidUntilMs: number;
}> {
  const { by, keyId, secret, graceSeconds } = rotate;
  yield* lockKey(tx, { keyId });
  const key = yield* getLiveKey(tx, keyId);
  const oldSecretValidUntilMs = nowMs + graceSeconds * 1000;
  yield* expireSecrets(tx, { keyId, expiresAtMs: oldSecretValidUntilMs, endsAll: graceSeconds === 0 ? 1 : 0 });
  yield* insertSecret(tx, { root: null, ...secret, keyId });
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId: key.organizationId,
    action: "key.rotate",
    target: keyId,
    after: { old_secret_valid_until: Math.floor(oldSecretValidUntilMs / 1000) },
  });
  return { key, oldSecretValidUntilMs };
});

/** AccountStore.revokeKey. */
export const revokeKey = plainProcedure("write", function* (tx, query: KeyRevocation, atMs): Steps<ApiKey> {
  const { by, keyId, revokedAt } = query;
  yield* lockKey(tx, { keyId });
  const key = yield* getKey(tx, keyId);
  if (key.revokedAt !== null) return key;
  yield* revoke(tx, { by, organizationId: key.organizationId, keyId, revokedAt, atMs });
  return { ...key, revokedAt };
});

/** AccountStore.findKeyById. */
export const findKeyById = plainProcedure("point", function* (tx, query: { keyId: string }): Steps<ApiKey | null> {
  const row = yield* selectKey(tx, query);
  return row === undefined ? null : decodeKey(row);
});

/** AccountStore.pageKeys. */
export const pageKeys = plainProcedure(
  "read",
  function* (tx, query: AccountPage & { memberId: string | null }, nowMs): Steps<readonly ListedKey[] | null> {
    const { organizationId, after } = query;
    if (after !== null && (yield* selectKey(tx, { keyId: after }))?.organizationId !== organizationId) return null;
    const selectPage = query.memberId === null ? selectKeyPage : selectKeyPageOfMember;
    return (yield* selectPage(tx, { ...query, nowMs })).map(decodeListedKey);
  },
);

/** AccountStore.listKeys. */
export const listKeys = decodedProcedure(
  "read",
  (tx, query: { organizationId: string }, nowMs) => selectKeys(tx, { ...query, nowMs }),
  (rows) => rows.map(decodeListedKey),
);

/** Deletes up to `limit` secrets whose grace has expired. */
export const deleteSecretsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from key_secrets
   where rowid in (select rowid from key_secrets where expires_at_ms <= :beforeMs limit +:limit)`);

function* getKey(tx: Transaction, keyId: string): Steps<ApiKey> {
  const row = yield* selectKey(tx, { keyId });
  if (row === undefined) throw new AccountError(`There is no key ${keyId}.`);
  return decodeKey(row);
}

function* getLiveKey(tx: Transaction, keyId: string): Steps<ApiKey> {
  const key = yield* getKey(tx, keyId);
  if (key.revokedAt !== null) throw new AccountError(`The key ${key.name} has been revoked.`);
  return key;
}

const selectKeyByLookup = one<{ lookup: string }, FoundKeyRow>(`
  select s.hash as secretHash, s.expires_at_ms as expiresAtMs, ${KEY_COLUMNS}, ${ORGANIZATION_COLUMNS}
    from key_secrets s
    join api_keys k on k.id = s.key_id
    join organizations o on o.id = k.organization_id
    join balances b on b.organization_id = o.id
   where s.lookup = :lookup
     and k.revoked_at is null`);

/** A live key of an organization; undefined when the organization has no such key, or the key is revoked. */
export const findLiveKey = one<{ organizationId: string; keyId: string }, LiveKey>(`
  select member_id                                                                 as memberId,
         exists (select 1 from budgets where budgets.organization_id = :organizationId) as hasBudgets
    from api_keys
   where id = :keyId
     and organization_id = :organizationId
     and revoked_at is null`);

/** Lets no other transaction change a key or its secrets. */
const lockKey = lock<{ keyId: string }>(`
  select id from api_keys where id = :keyId`);

const selectKey = one<{ keyId: string }, KeyRow>(`
  select ${KEY_COLUMNS}
    from api_keys k
   where k.id = :keyId`);

/** The last use is one look-up in the index of a key's responses. */
const LISTED = `
  select ${KEY_COLUMNS},
         (select max(r.created_at) from responses r where r.key_id = k.id) as lastUsedAt,
         (select max(s.expires_at_ms) from key_secrets s where s.key_id = k.id and s.expires_at_ms > :nowMs and k.revoked_at is null) as oldSecretsUntilMs
    from api_keys k`;

const selectKeys = many<{ organizationId: string; nowMs: number }, ListedKeyRow>(`${LISTED}
   where k.organization_id = :organizationId
   order by k.created_at, k.rowid`);

const pageOf = (condition: string) =>
  many<AccountPage & { memberId: string | null; nowMs: number }, ListedKeyRow>(`${LISTED}
   where ${condition}
     and (k.created_at, k.rowid) > (select coalesce(max(created_at), -1), coalesce(max(rowid), -1) from api_keys where id = cast(:after as text))
   order by k.created_at, k.rowid
   limit +:limit`);

const selectKeyPage = pageOf("k.organization_id = :organizationId");
/** By the index of members: the organization's has everybody's. */
const selectKeyPageOfMember = pageOf("k.member_id = :memberId and k.organization_id || '' = :organizationId");

const countLiveKeys = one<{ organizationId: string }, { keys: number }>(`
  select count(*) as keys
    from api_keys
   where organization_id = :organizationId
     and revoked_at is null`);

const countNewKeys = one<{ organizationId: string; since: number }, { keys: number }>(`
  select count(*) as keys
    from api_keys
   where organization_id = :organizationId
     and created_at > :since`);

const insertKey = write<KeyRow>(`
  insert into api_keys (id, organization_id, member_id, name, permission, unanswered_calls, limits, created_at, revoked_at)
  values (:id, :organizationId, :memberId, :name, :permission, :unansweredCalls, :keyLimits, :createdAt, :revokedAt)`);

const updateDefaults = write<{ keyId: string } & Pick<KeyRow, "unansweredCalls" | "keyLimits">>(`
  update api_keys
     set unanswered_calls = :unansweredCalls,
         limits           = :keyLimits
   where id = :keyId`);

const insertSecret = write<Omit<NewSecret, "root"> & { root: string | null; keyId: string }>(`
  insert into key_secrets (lookup, key_id, hash, root)
  values (:lookup, :keyId, :hash, :root)`);

/** The grace of an earlier rotation stays as it was promised; a rotation without grace ends it. */
const expireSecrets = write<{ keyId: string; expiresAtMs: number; endsAll: 0 | 1 }>(`
  update key_secrets
     set expires_at_ms = :expiresAtMs
   where key_id = :keyId
     and (expires_at_ms is null or (:endsAll = 1 and expires_at_ms > :expiresAtMs))`);
