// The revocation of API keys, of one or of all that a member owns.
import type { Actor } from "../../ports/store/audit.ts";
import { lock, many, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { record } from "./audit.ts";

interface Revocation {
  readonly by: Actor;
  readonly organizationId: string;
  readonly keyId: string;
  readonly revokedAt: number;
  readonly atMs: number;
}

/** Revokes a key that is locked and not revoked. */
export function* revoke(tx: Transaction, { by, organizationId, keyId, revokedAt, atMs }: Revocation): Steps<void> {
  yield* updateRevoked(tx, { keyId, revokedAt });
  yield* record(tx, {
    by,
    atMs,
    organizationId,
    action: "key.revoke",
    target: keyId,
    before: { revoked_at: null },
    after: { revoked_at: revokedAt },
  });
}

/** Locks the keys of a member that are not revoked; returns their ids. */
export function* lockKeysOf(tx: Transaction, member: { memberId: string }): Steps<readonly string[]> {
  yield* lockLive(tx, member);
  return (yield* selectLive(tx, member)).map(({ keyId }) => keyId);
}

const lockLive = lock<{ memberId: string }>(`
  select id
    from api_keys
   where member_id = :memberId
     and revoked_at is null
   order by id`);

const selectLive = many<{ memberId: string }, { readonly keyId: string }>(`
  select id as keyId
    from api_keys
   where member_id = :memberId
     and revoked_at is null
   order by id`);

const updateRevoked = write<{ keyId: string; revokedAt: number }>(`
  update api_keys set revoked_at = :revokedAt where id = :keyId`);
