// Rows of API keys, and their decoding.
import type { ApiKey, ListedKey } from "../../ports/store/accounts.ts";
import { type KeyLimits, NO_KEY_LIMITS } from "../../ports/store/limits.ts";
import { memoize } from "../engine/read-cache.ts";
import { parseStored } from "../engine/stored-json.ts";

/** A key's row, with its limits as JSON; null: it has none. */
export type KeyRow = Omit<ApiKey, "limits"> & { readonly keyLimits: string | null };

/** The row of a listed key. */
export type ListedKeyRow = KeyRow & Pick<ListedKey, "lastUsedAt" | "oldSecretsUntilMs">;

/** The columns of a KeyRow, for a select from `api_keys k`. */
export const KEY_COLUMNS = `
         k.id,
         k.organization_id as organizationId,
         k.member_id       as memberId,
         k.name,
         k.permission,
         k.unanswered_calls as unansweredCalls,
         k.limits          as keyLimits,
         k.created_at      as createdAt,
         k.revoked_at      as revokedAt`;

/** Decodes a key's row; other columns of the row are left out. */
export function decodeKey(row: KeyRow): ApiKey {
  const { id, organizationId, memberId, name, permission, unansweredCalls, keyLimits, createdAt, revokedAt } = row;
  const limits = keyLimits === null ? NO_KEY_LIMITS : parseLimits(keyLimits);
  return { id, organizationId, memberId, name, permission, unansweredCalls, limits, createdAt, revokedAt };
}

/** Decodes the row of a listed key. */
export function decodeListedKey(row: ListedKeyRow): ListedKey {
  return { ...decodeKey(row), lastUsedAt: row.lastUsedAt, oldSecretsUntilMs: row.oldSecretsUntilMs };
}

/** Limits as a row has them. */
export function encodeKeyLimits(limits: KeyLimits): string | null {
  return Object.values(limits).every((limit) => limit === null) ? null : JSON.stringify(limits);
}

/** Memoized, because every request reads its key. */
const parseLimits = memoize((text) => ({
  ...NO_KEY_LIMITS,
  ...parseStored<Partial<KeyLimits>>(text, "limits of a key"),
}));
