// Organizations, members and keys. @spec authentication
import {
  AccountError,
  type ApiKey,
  type FoundKey,
  type KeyPermission,
  type Member,
  type MemberRole,
  type NewSecret,
  type Organization,
  type OrganizationLimits,
  type OrganizationPolicy,
} from "../../ports/accounts.ts";
import type { Caller } from "../../ports/store.ts";
import { parseStored } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { openCredits, postTopUp } from "./ledger.ts";
import { asIs, coded, plain } from "./operation.ts";
import { change, many, one } from "./statement.ts";

const NO_LIMITS: OrganizationLimits = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  openStreams: null,
};
const NO_POLICY: OrganizationPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };

/** An organization's row, with its balance as text: it may pass what a number holds. */
interface OrganizationRow {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly plan: number;
  readonly paymentMethod: number;
  readonly suspended: number;
  readonly policy: string;
  readonly limits: string;
  readonly organizationCreatedAt: number;
  readonly credits: string;
}

const ORGANIZATION_COLUMNS = `
         o.id                            as organizationId,
         o.name                          as organizationName,
         o.plan,
         o.payment_method                as paymentMethod,
         o.suspended,
         o.policy,
         o.limits,
         o.created_at                    as organizationCreatedAt,
         cast(credits.balance_nano as text) as credits`;

const ORGANIZATION_TABLES = `organizations o
    join ledger_accounts credits on credits.organization_id = o.id and credits.kind = 'credits'`;

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

type FoundKeyRow = KeyRow & OrganizationRow & { readonly secretHash: string };

/** AccountStore.findKey. */
export const findKey = coded({
  side: "read",
  encode: asIs<{ lookup: string }>,
  run: (connection, { lookup }, nowMs) => selectKeyByLookup(connection, { lookup, nowMs }) ?? null,
  decode: (row: FoundKeyRow | null): FoundKey | null =>
    row === null ? null : { secretHash: row.secretHash, key: decodeKey(row), organization: decodeOrganization(row) },
});

/** Whether a key is one of the organization's and not revoked. */
export function isLiveKey(connection: Connection, { organizationId, keyId }: Caller): boolean {
  return selectLiveKey(connection, { organizationId, keyId }) !== undefined;
}

/** AccountStore.createOrganization. */
export const createOrganization = organizationOperation(
  "write",
  (connection, create: { id: string; name: string; createdAt: number }) => {
    const { id, name, createdAt } = create;
    if (selectOrganizationNamed(connection, { idOrName: name }) !== undefined) {
      throw new AccountError(`There is an organization named ${name} already.`);
    }
    insertOrganization(connection, {
      id,
      name,
      policy: JSON.stringify(NO_POLICY),
      limits: JSON.stringify(NO_LIMITS),
      createdAt,
    });
    openCredits(connection, id);
    return needOrganization(connection, id);
  },
);

/** AccountStore.listOrganizations. */
export const listOrganizations = coded({
  side: "read",
  encode: asIs<void>,
  run: (connection) => selectOrganizations(connection, {}),
  decode: (rows: OrganizationRow[]): readonly Organization[] => rows.map(decodeOrganization),
});

/** AccountStore.findOrganization. */
export const findOrganization = coded({
  side: "read",
  encode: asIs<{ idOrName: string }>,
  run: (connection, query) => selectOrganizationNamed(connection, query) ?? null,
  decode: (row: OrganizationRow | null): Organization | null => (row === null ? null : decodeOrganization(row)),
});

interface OrganizationUpdate {
  readonly organizationId: string;
  readonly plan?: boolean;
  readonly paymentMethod?: boolean;
  readonly suspended?: boolean;
  readonly policy?: OrganizationPolicy;
  readonly limits?: OrganizationLimits;
}

/** AccountStore.updateOrganization. */
export const updateOrganization = organizationOperation("write", (connection, update: OrganizationUpdate) => {
  const { organizationId, plan, paymentMethod, suspended, policy, limits } = update;
  const before = needOrganization(connection, organizationId);
  updateOrganizationRow(connection, {
    id: organizationId,
    plan: plan === undefined ? before.plan : Number(plan),
    paymentMethod: paymentMethod === undefined ? before.paymentMethod : Number(paymentMethod),
    suspended: suspended === undefined ? before.suspended : Number(suspended),
    policy: policy === undefined ? before.policy : JSON.stringify(policy),
    limits: limits === undefined ? before.limits : JSON.stringify(limits),
  });
  return needOrganization(connection, organizationId);
});

/** AccountStore.addCredits. */
export const addCredits = organizationOperation(
  "write",
  (connection, add: { transactionId: string; organizationId: string; amountNano: bigint; createdAt: number }) => {
    needOrganization(connection, add.organizationId);
    postTopUp(connection, add);
    return needOrganization(connection, add.organizationId);
  },
);

/** AccountStore.addMember. */
export const addMember = plain("write", (connection, add: Member & { createdAt: number }): Member => {
  const { id, organizationId, email, role, createdAt } = add;
  needOrganization(connection, organizationId);
  if (selectMemberByEmail(connection, { organizationId, email }) !== undefined) {
    throw new AccountError(`${email} is a member of this organization already.`);
  }
  insertMember(connection, { id, organizationId, email, role, createdAt });
  return { id, organizationId, email, role };
});

/** AccountStore.removeMember. The member's keys stay, as nobody's. */
export const removeMember = plain(
  "write",
  (connection, { organizationId, memberId }: { organizationId: string; memberId: string }): void => {
    const member = needMember(connection, organizationId, memberId);
    if (member.role === "owner") keepAnOwner(connection, member);
    deleteMember(connection, { id: memberId });
  },
);

/** AccountStore.setMemberRole. */
export const setMemberRole = plain(
  "write",
  (connection, update: { organizationId: string; memberId: string; role: MemberRole }): Member => {
    const { organizationId, memberId, role } = update;
    const member = needMember(connection, organizationId, memberId);
    if (member.role === "owner" && role !== "owner") keepAnOwner(connection, member);
    updateRole(connection, { id: memberId, role });
    return { ...member, role };
  },
);

/** AccountStore.listMembers. */
export const listMembers = plain("read", (connection, query: { organizationId: string }): readonly Member[] =>
  selectMembers(connection, query),
);

/** AccountStore.createKey. */
export const createKey = plain("write", (connection, create: { key: ApiKey; secret: NewSecret }): ApiKey => {
  const { key, secret } = create;
  needOrganization(connection, key.organizationId);
  if (key.memberId !== null) needMember(connection, key.organizationId, key.memberId);
  insertKey(connection, { ...key });
  insertSecret(connection, { ...secret, keyId: key.id });
  return key;
});

/** AccountStore.rotateKey. */
export const rotateKey = plain(
  "write",
  (
    connection,
    rotate: { keyId: string; secret: NewSecret; graceSeconds: number },
    nowMs,
  ): { key: ApiKey; oldSecretValidUntilMs: number } => {
    const { keyId, secret, graceSeconds } = rotate;
    const key = needKey(connection, keyId);
    if (key.revokedAt !== null) throw new AccountError(`The key ${key.name} has been revoked.`);
    const oldSecretValidUntilMs = nowMs + graceSeconds * 1000;
    expireSecrets(connection, { keyId, expiresAtMs: oldSecretValidUntilMs });
    insertSecret(connection, { ...secret, keyId });
    return { key, oldSecretValidUntilMs };
  },
);

/** AccountStore.revokeKey. */
export const revokeKey = plain("write", (connection, query: { keyId: string; revokedAt: number }): ApiKey => {
  const key = needKey(connection, query.keyId);
  if (key.revokedAt !== null) return key;
  updateRevoked(connection, query);
  return { ...key, revokedAt: query.revokedAt };
});

/** AccountStore.listKeys. */
export const listKeys = plain("read", (connection, query: { organizationId: string }): readonly ApiKey[] =>
  selectKeys(connection, query).map(decodeKey),
);

/** Forgets up to `limit` secrets whose grace is over. */
export const deleteSecretsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from key_secrets
   where rowid in (select rowid from key_secrets where expires_at_ms <= :beforeMs limit :limit)`);

/** An operation that answers an organization. */
function organizationOperation<Argument>(
  side: "write",
  run: (connection: Connection, argument: Argument, nowMs: number) => OrganizationRow,
) {
  return coded({ side, encode: asIs<Argument>, run, decode: decodeOrganization });
}

function decodeOrganization(row: OrganizationRow): Organization {
  return {
    id: row.organizationId,
    name: row.organizationName,
    plan: row.plan === 1,
    paymentMethod: row.paymentMethod === 1,
    suspended: row.suspended === 1,
    creditsNano: BigInt(row.credits),
    policy: parseStored<OrganizationPolicy>(row.policy, "policy of an organization"),
    limits: parseStored<OrganizationLimits>(row.limits, "limits of an organization"),
    createdAt: row.organizationCreatedAt,
  };
}

function decodeKey(row: KeyRow): ApiKey {
  const { id, organizationId, memberId, name, permission, createdAt, revokedAt } = row;
  return { id, organizationId, memberId, name, permission: permission as KeyPermission, createdAt, revokedAt };
}

function needOrganization(connection: Connection, id: string): OrganizationRow {
  const row = selectOrganization(connection, { id });
  if (row === undefined) throw new AccountError(`There is no organization ${id}.`);
  return row;
}

function needMember(connection: Connection, organizationId: string, memberId: string): Member {
  const row = selectMember(connection, { organizationId, memberId });
  if (row === undefined) throw new AccountError(`The organization has no member ${memberId}.`);
  return row;
}

function needKey(connection: Connection, keyId: string): ApiKey {
  const row = selectKey(connection, { keyId });
  if (row === undefined) throw new AccountError(`There is no key ${keyId}.`);
  return decodeKey(row);
}

function keepAnOwner(connection: Connection, { organizationId, email }: Member): void {
  if ((countOwners(connection, { organizationId })?.owners ?? 0) > 1) return;
  throw new AccountError(`${email} is the organization's last owner; make another member an owner first.`);
}

const selectKeyByLookup = one<{ lookup: string; nowMs: number }, FoundKeyRow>(`
  select s.hash as secretHash, ${KEY_COLUMNS}, ${ORGANIZATION_COLUMNS}
    from key_secrets s
    join api_keys k on k.id = s.key_id
    join ${ORGANIZATION_TABLES}
   where s.lookup = :lookup
     and o.id = k.organization_id
     and k.revoked_at is null
     and (s.expires_at_ms is null or s.expires_at_ms > :nowMs)`);

const selectLiveKey = one<{ organizationId: string; keyId: string }, { id: string }>(`
  select id
    from api_keys
   where id = :keyId
     and organization_id = :organizationId
     and revoked_at is null`);

const selectOrganization = one<{ id: string }, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.id = :id`);

const selectOrganizationNamed = one<{ idOrName: string }, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.id = :idOrName
      or o.name = :idOrName
   order by o.id = :idOrName desc
   limit 1`);

const selectOrganizations = many<Record<never, never>, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   order by o.created_at, o.rowid`);

const insertOrganization = change<{ id: string; name: string; policy: string; limits: string; createdAt: number }>(`
  insert into organizations (id, name, policy, limits, created_at)
  values (:id, :name, :policy, :limits, :createdAt)`);

const updateOrganizationRow = change<{
  id: string;
  plan: number;
  paymentMethod: number;
  suspended: number;
  policy: string;
  limits: string;
}>(`
  update organizations
     set plan           = :plan,
         payment_method = :paymentMethod,
         suspended      = :suspended,
         policy         = :policy,
         limits         = :limits
   where id = :id`);

const MEMBER_COLUMNS = "id, organization_id as organizationId, email, role";

const selectMember = one<{ organizationId: string; memberId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where id = :memberId
     and organization_id = :organizationId`);

const selectMemberByEmail = one<{ organizationId: string; email: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where organization_id = :organizationId
     and email = :email`);

const selectMembers = many<{ organizationId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where organization_id = :organizationId
   order by created_at, rowid`);

const countOwners = one<{ organizationId: string }, { owners: number }>(`
  select count(*) as owners
    from members
   where organization_id = :organizationId
     and role = 'owner'`);

const insertMember = change<Member & { createdAt: number }>(`
  insert into members (id, organization_id, email, role, created_at)
  values (:id, :organizationId, :email, :role, :createdAt)`);

const updateRole = change<{ id: string; role: string }>(`
  update members set role = :role where id = :id`);

const deleteMember = change<{ id: string }>(`
  delete from members where id = :id`);

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
