// Which hashes of valid keys and valid tokens are made with another root secret than that of a check value: SQL for the
// store, and for `doctor`, which opens none.

/** Of `key_secrets s` and `api_keys k`. */
export const IS_FORMER_KEY = `s.root <> :checkValue
     and k.revoked_at is null
     and (s.expires_at_ms is null or s.expires_at_ms > :nowMs)`;

/** Of `admin_tokens t`. */
export const IS_FORMER_TOKEN = `t.root <> :checkValue
     and t.revoked_at is null
     and (t.expires_at is null or t.expires_at * 1000 > :nowMs)`;

/** Counts the secrets of keys, and the tokens. */
export const COUNT_FORMER_HASHES = `
  select (select count(*)
            from key_secrets s
            join api_keys k on k.id = s.key_id
           where ${IS_FORMER_KEY}) as keys,
         (select count(*)
            from admin_tokens t
           where ${IS_FORMER_TOKEN}) as tokens`;
