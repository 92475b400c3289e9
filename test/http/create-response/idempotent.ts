// Idempotency keys, and the errors of a key that is in use.

export const CONFLICT = { status: 409, code: "idempotency_conflict" };

export const IN_PROGRESS = { status: 409, code: "idempotency_in_progress" };

let made = 0;

/** The options of a request with a new key. */
export const newKey = () => ({ headers: { "idempotency-key": `key ${++made}` } });
