// Events of rotated secrets whose grace ends soon, so that programs that still use them are changed in time.
import { HOUR_MS } from "../../base/time.ts";
import { SECRET_ENDS_HOURS } from "../../contract/manage/event-types.ts";
import { many } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { emit } from "./feed.ts";

/** Secrets that one call reports at most; the rest is reported an hour later. */
const BATCH = 500;

/** Emits an event for each secret that ends within SECRET_ENDS_HOURS, once. */
export function* emitEndingSecrets(tx: Transaction, nowMs: number): Steps<void> {
  const toMs = nowMs + SECRET_ENDS_HOURS * HOUR_MS;
  for (const { keyId, organizationId, name, expiresAtMs } of yield* selectEnding(tx, { nowMs, toMs, limit: BATCH })) {
    emit(
      {
        organizationId,
        atMs: nowMs,
        type: "key.secret_ends",
        target: keyId,
        name,
        data: { old_secret_valid_until: Math.floor(expiresAtMs / 1000) },
        once: `secret ${keyId} ${expiresAtMs}`,
      },
      tx,
    );
  }
}

const selectEnding = many<
  { nowMs: number; toMs: number; limit: number },
  { keyId: string; organizationId: string; name: string; expiresAtMs: number }
>(`
  select k.id              as keyId,
         k.organization_id as organizationId,
         k.name,
         s.expires_at_ms   as expiresAtMs
    from key_secrets s
    join api_keys k on k.id = s.key_id
   where s.expires_at_ms > :nowMs
     and s.expires_at_ms <= :toMs
     and k.revoked_at is null
     and not exists (select 1
                       from events e
                      where e.once = 'secret ' || k.id || ' ' || s.expires_at_ms)
   order by s.expires_at_ms
   limit +:limit`);
