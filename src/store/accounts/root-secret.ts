// The root secret that the hashes of keys and tokens are made with, and its rotation. docs/decisions/root-secret.md
import type { Actor } from "../../ports/store/audit.ts";
import { AccountError, type HashRenewal } from "../../ports/store/accounts.ts";
import type { FormerCount, FormerHash, FormerHashes } from "../../ports/store/store.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lock, many, one, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { limitedLookup } from "./admin-tokens.ts";
import { record } from "./audit.ts";
import { COUNT_FORMER_HASHES, IS_FORMER_KEY, IS_FORMER_TOKEN } from "./former-hashes.ts";

/** Characters of a check value in the audit log: enough to tell two of them apart. */
const SHOWN_CHARACTERS = 8;

/** StoreUpkeep.fitsSecret. */
export const fitsSecret = plainProcedure(
  "write",
  function* (tx, { checkValue }: { checkValue: string }): Steps<boolean> {
    yield* insertCheck(tx, { checkValue });
    return (yield* selectCheck(tx, {}))?.checkValue === checkValue;
  },
);

/** StoreUpkeep.rotateRootSecret. */
export const rotateRootSecret = plainProcedure(
  "write",
  function* (tx, { by, from, to }: { by: Actor; from: string; to: string }, atMs): Steps<boolean> {
    yield* lockCheck(tx, {});
    const kept = (yield* selectCheck(tx, {}))?.checkValue;
    if (kept === to) return false;
    if (kept !== from) throw new AccountError("The former root secret is not the one of this database.");
    yield* markKeys(tx, { root: from });
    yield* markTokens(tx, { root: from });
    yield* deleteSessions(tx, {});
    yield* deleteLinks(tx, {});
    yield* deleteOperatorLinks(tx, {});
    yield* updateCheck(tx, { checkValue: to });
    yield* record(tx, {
      by,
      atMs,
      organizationId: null,
      action: "root_secret.rotate",
      target: null,
      before: { check: from.slice(0, SHOWN_CHARACTERS) },
      after: { check: to.slice(0, SHOWN_CHARACTERS) },
    });
    return true;
  },
);

/** StoreUpkeep.listFormerHashes. */
export const listFormerHashes = plainProcedure(
  "read",
  function* (tx, { checkValue }: { checkValue: string }, nowMs): Steps<FormerHashes> {
    const of = { checkValue, nowMs };
    return { keys: yield* selectFormerKeys(tx, of), tokens: yield* selectFormerTokens(tx, of) };
  },
);

/** StoreUpkeep.countFormerHashes. */
export const countFormerHashes = plainProcedure(
  "read",
  function* (tx, { checkValue }: { checkValue: string }, nowMs): Steps<FormerCount> {
    return (yield* selectFormerCount(tx, { checkValue, nowMs })) ?? { keys: 0, tokens: 0 };
  },
);

/** AccountStore.renewKeyHash. */
export const renewKeyHash = plainProcedure("write", function* (tx, renewal: HashRenewal): Steps<void> {
  yield* updateKeyHash(tx, { ...renewal });
});

/** ManagementStore.renewTokenHash. */
export const renewTokenHash = plainProcedure("write", function* (tx, renewal: HashRenewal): Steps<void> {
  yield* updateTokenHash(tx, { ...renewal, limited: limitedLookup(renewal.lookup) });
});

/** The first check value stays. */
const insertCheck = write<{ checkValue: string }>(`
  insert into root_secret ("only", check_value)
  values (1, :checkValue)
  on conflict do nothing`);

const selectCheck = one<Record<never, never>, { checkValue: string }>(`
  select check_value as checkValue
    from root_secret
   where "only" = 1`);

/** Lets no other transaction rotate it. */
const lockCheck = lock<Record<never, never>>(`
  select "only" from root_secret where "only" = 1`);

const updateCheck = write<{ checkValue: string }>(`
  update root_secret set check_value = :checkValue where "only" = 1`);

const markKeys = write<{ root: string }>(`
  update key_secrets set root = :root where root is null`);

const markTokens = write<{ root: string }>(`
  update admin_tokens set root = :root where root is null`);

const deleteSessions = write<Record<never, never>>(`
  delete from sessions`);

const deleteLinks = write<Record<never, never>>(`
  delete from sign_in_links`);

const deleteOperatorLinks = write<Record<never, never>>(`
  delete from operator_links`);

const selectFormerKeys = many<{ checkValue: string; nowMs: number }, FormerHash>(`
  select k.id,
         k.name,
         k.organization_id as organizationId,
         o.name            as organizationName,
         count(*)          as secrets
    from key_secrets s
    join api_keys k on k.id = s.key_id
    join organizations o on o.id = k.organization_id
   where ${IS_FORMER_KEY}
   group by k.id, k.name, k.organization_id, o.name
   order by o.name, k.name, k.id`);

const selectFormerTokens = many<{ checkValue: string; nowMs: number }, FormerHash>(`
  select t.id,
         t.name,
         t.organization_id as organizationId,
         o.name            as organizationName,
         1                 as secrets
    from admin_tokens t
    left join organizations o on o.id = t.organization_id
   where ${IS_FORMER_TOKEN}
   order by (o.name is null), o.name, t.name, t.id`);

const selectFormerCount = one<{ checkValue: string; nowMs: number }, FormerCount>(COUNT_FORMER_HASHES);

const updateKeyHash = write<HashRenewal>(`
  update key_secrets
     set hash = :hash, root = :root
   where lookup = :lookup
     and hash = :from`);

const updateTokenHash = write<HashRenewal & { limited: string }>(`
  update admin_tokens
     set hash = :hash, root = :root
   where lookup in (:lookup, :limited)
     and hash = :from`);
