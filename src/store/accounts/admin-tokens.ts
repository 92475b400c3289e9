// Tokens of the management interface: created, found, revoked. @spec authentication
import { DAY_SECONDS } from "../../base/time.ts";
import { TOKENS_MAX, TOKENS_PER_MEMBER_MAX } from "../../contract/manage/limits.ts";
import type { ActorKind } from "../../contract/manage/roles.ts";
import { AccountError, type NewSecret } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { AdminToken, FoundToken, ManagementStore, NewToken } from "../../ports/store/management.ts";
import { record } from "./audit.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { getOrganization, lockOrganization } from "./organizations.ts";
import { lock, many, one, write } from "../engine/statement.ts";

/** ManagementStore.createToken. */
export const createToken = plainProcedure(
  "write",
  function* (tx, create: Parameters<ManagementStore["createToken"]>[0], atMs): Steps<AdminToken | null> {
    const { by, sessionId, secret } = create;
    const { organizationId, name, role, permissions, expiresAt } = create.token;
    if (organizationId !== null) {
      yield* lockOrganization(tx, { organizationId });
      yield* getOrganization(tx, organizationId);
    }
    // Locked, so that whoever ends the session or revokes the token meanwhile finds the token that was made with it.
    if (sessionId !== null) {
      yield* lockSession(tx, { sessionId });
      if ((yield* selectSessionId(tx, { sessionId })) === undefined) return null;
    }
    let createdBy: Actor | null = by;
    if (by.kind === "token") {
      yield* lockToken(tx, { tokenId: by.id });
      const maker = yield* selectToken(tx, { tokenId: by.id });
      if (maker === undefined || maker.revokedAt !== null || isExpired(maker, atMs)) return null;
      // Whoever made the token that makes this one: the tokens of a person are found through all of them.
      createdBy = decodeToken(maker).createdBy ?? by;
    }
    const token: AdminToken = { ...create.token, createdBy };
    if (organizationId !== null) yield* assertRoom(tx, { organizationId, createdBy, now: Math.floor(atMs / 1000) });
    yield* insertToken(tx, {
      root: null,
      ...create.token,
      createdByKind: token.createdBy?.kind ?? null,
      createdById: token.createdBy?.id ?? null,
      ...secret,
      lookup: storedLookup(token, secret.lookup),
    });
    const after = { name, scope: role ?? "operator", permissions, expires_at: expiresAt };
    yield* record(tx, { by, atMs, organizationId, action: "token.create", target: token.id, after });
    return token;
  },
);

/** Throws an AccountError when the organization, or the member who makes a token, has the most that it may have. */
function* assertRoom(
  tx: Transaction,
  { organizationId, createdBy, now }: { organizationId: string; createdBy: Actor | null; now: number },
): Steps<void> {
  const reason = "Revoke those that nobody uses, or let them expire.";
  if (((yield* countValid(tx, { organizationId, now }))?.tokens ?? 0) >= TOKENS_MAX) {
    throw new AccountError(`An organization has at most ${TOKENS_MAX} tokens that are valid. ${reason}`);
  }
  if (((yield* countNew(tx, { organizationId, since: now - DAY_SECONDS }))?.tokens ?? 0) >= TOKENS_MAX) {
    throw new AccountError(`An organization makes at most ${TOKENS_MAX} tokens in 24 hours, revoked ones too.`);
  }
  if (createdBy?.kind !== "member") return;
  if (((yield* countValidOf(tx, { id: createdBy.id, now }))?.tokens ?? 0) >= TOKENS_PER_MEMBER_MAX) {
    throw new AccountError(`A member has at most ${TOKENS_PER_MEMBER_MAX} tokens that are valid. ${reason}`);
  }
}

/** ManagementStore.findToken. */
export const findToken = plainProcedure(
  "point",
  function* (tx, { lookup }: { lookup: string }, nowMs): Steps<FoundToken | null> {
    const row = yield* selectByLookup(tx, { lookup, limited: limitedLookup(lookup) });
    if (row === undefined || isExpired(row, nowMs)) return null;
    return { secretHash: row.secretHash, token: decodeToken(row) };
  },
);

function isExpired({ expiresAt }: NewToken, nowMs: number): boolean {
  return expiresAt !== null && expiresAt * 1000 <= nowMs;
}

/**
 * How a limited token is looked up. A release that knows no limits looks for the bare one: it rejects the token instead
 * of letting it do everything, during an upgrade and after a return to it.
 */
export function limitedLookup(lookup: string): string {
  return `limited ${lookup}`;
}

function storedLookup({ permissions, expiresAt }: NewToken, lookup: string): string {
  return permissions === "all" && expiresAt === null ? lookup : limitedLookup(lookup);
}

/** ManagementStore.findTokenById. */
export const findTokenById = plainProcedure(
  "point",
  function* (tx, query: { tokenId: string }): Steps<AdminToken | null> {
    const row = yield* selectToken(tx, query);
    return row === undefined ? null : decodeToken(row);
  },
);

/** ManagementStore.listTokens. */
export const listTokens = decodedProcedure(
  "read",
  (tx, { organizationId }: { organizationId: string | null }) =>
    organizationId === null ? selectTokens(tx, {}) : selectTokensOf(tx, { organizationId }),
  (rows) => rows.map(decodeToken),
);

type TokenPage = Parameters<ManagementStore["pageTokens"]>[0];

/** ManagementStore.pageTokens. */
export const pageTokens = plainProcedure("read", function* (tx, page: TokenPage): Steps<readonly AdminToken[] | null> {
  const { organizationId, makerId, after } = page;
  if (after !== null) {
    const row = yield* selectToken(tx, { tokenId: after });
    if (row === undefined || (organizationId ?? row.organizationId) !== row.organizationId) return null;
  }
  const selectPage = makerId !== null ? pageOfMaker : organizationId !== null ? pageOfOrganization : pageOfAll;
  return (yield* selectPage(tx, page)).map(decodeToken);
});

/** ManagementStore.revokeToken. */
export const revokeToken = plainProcedure(
  "write",
  function* (
    tx,
    { by, tokenId, revokedAt }: { by: Actor; tokenId: string; revokedAt: number },
    atMs,
  ): Steps<AdminToken> {
    const token = yield* revoke(tx, { by, tokenId, revokedAt, atMs });
    if (token === undefined) throw new AccountError(`There is no token ${tokenId}.`);
    return token;
  },
);

/** Revokes the tokens that somebody made. */
export function* revokeTokensOf(
  tx: Transaction,
  { by, creator: { kind, id }, atMs }: { by: Actor; creator: Actor; atMs: number },
): Steps<void> {
  const revokedAt = Math.floor(atMs / 1000);
  for (;;) {
    const live = yield* selectLiveOf(tx, { kind, id });
    if (live.length === 0) return;
    for (const { tokenId } of live) yield* revoke(tx, { by, tokenId, revokedAt, atMs });
    // And those that they had begun to make: each was locked until its own was there.
  }
}

/** The token after its revocation, or its earlier one. */
function* revoke(
  tx: Transaction,
  { by, tokenId, revokedAt, atMs }: { by: Actor; tokenId: string; revokedAt: number; atMs: number },
): Steps<AdminToken | undefined> {
  yield* lockToken(tx, { tokenId });
  const row = yield* selectToken(tx, { tokenId });
  if (row === undefined || row.revokedAt !== null) return row && decodeToken(row);
  yield* updateRevoked(tx, { tokenId, revokedAt });
  yield* record(tx, {
    by,
    atMs,
    organizationId: row.organizationId,
    action: "token.revoke",
    target: tokenId,
    before: { revoked_at: null },
    after: { revoked_at: revokedAt },
  });
  return { ...decodeToken(row), revokedAt };
}

type TokenRow = NewToken & { readonly createdByKind: ActorKind | null; readonly createdById: string | null };

function decodeToken(row: TokenRow): AdminToken {
  const { id, organizationId, role, name, permissions, createdAt, expiresAt, revokedAt } = row;
  const { createdByKind: kind, createdById } = row;
  const createdBy = kind === null || createdById === null ? null : { kind, id: createdById };
  return { id, organizationId, role, name, permissions, createdAt, expiresAt, revokedAt, createdBy };
}

const TOKEN_COLUMNS = `
         id,
         organization_id as organizationId,
         role,
         name,
         permissions,
         created_at      as createdAt,
         expires_at      as expiresAt,
         revoked_at      as revokedAt,
         created_by_kind as createdByKind,
         created_by_id   as createdById`;

const selectByLookup = one<{ lookup: string; limited: string }, TokenRow & { readonly secretHash: string }>(`
  select hash as secretHash, ${TOKEN_COLUMNS}
    from admin_tokens
   where lookup in (:lookup, :limited)
     and revoked_at is null`);

/** Lets no other transaction end a session. */
const lockSession = lock<{ sessionId: string }>(`
  select id from sessions where id = :sessionId`);

const selectSessionId = one<{ sessionId: string }, { readonly id: string }>(`
  select id from sessions where id = :sessionId`);

/** Lets no other transaction revoke a token. */
const lockToken = lock<{ tokenId: string }>(`
  select id from admin_tokens where id = :tokenId`);

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

const pageOf = (condition: string) =>
  many<TokenPage, TokenRow>(`
  select ${TOKEN_COLUMNS}
    from admin_tokens
   where ${condition}
     and (created_at, rowid) > (select coalesce(max(created_at), -1), coalesce(max(rowid), -1) from admin_tokens where id = cast(:after as text))
   order by created_at, rowid
   limit +:limit`);

const pageOfAll = pageOf("true");
const pageOfOrganization = pageOf("organization_id = :organizationId");
const pageOfMaker = pageOf(`created_by_id = :makerId
     and (cast(:organizationId as text) is null or organization_id = :organizationId)`);

/** Two ranges of one index. */
const validTokens = (condition: string) => `
  select (select count(*) from admin_tokens where ${condition} and revoked_at is null and expires_at is null)
       + (select count(*) from admin_tokens where ${condition} and revoked_at is null and expires_at > :now) as tokens`;

const countValid = one<{ organizationId: string; now: number }, { tokens: number }>(
  validTokens("organization_id = :organizationId"),
);

const countValidOf = one<{ id: string; now: number }, { tokens: number }>(
  validTokens("created_by_kind = 'member' and created_by_id = :id"),
);

const countNew = one<{ organizationId: string; since: number }, { tokens: number }>(`
  select count(*) as tokens
    from admin_tokens
   where organization_id = :organizationId
     and created_at > :since`);

const selectLiveOf = many<Actor, { tokenId: string }>(`
  select id as tokenId
    from admin_tokens
   where created_by_kind = :kind
     and created_by_id = :id
     and revoked_at is null
   order by created_at, rowid`);

const insertToken = write<TokenRow & Omit<NewSecret, "root"> & { root: string | null }>(`
  insert into admin_tokens (id, organization_id, role, name, permissions, lookup, hash, root, created_at, expires_at, revoked_at, created_by_kind, created_by_id)
  values (:id, :organizationId, :role, :name, :permissions, :lookup, :hash, :root, :createdAt, :expiresAt, :revokedAt, :createdByKind, :createdById)`);

const updateRevoked = write<{ tokenId: string; revokedAt: number }>(`
  update admin_tokens set revoked_at = :revokedAt where id = :tokenId`);
