// How texts are written that the management interface and the command line take alike: regular expressions of the whole text.

/** What a caller may name a top-up by. */
export const TRANSACTION_ID_PATTERN = "^[A-Za-z0-9_.:-]{1,64}$";
/** The head of a check of the audit log: the SHA-256 of an entry, hexadecimal. */
export const AUDIT_HEAD_PATTERN = "^[0-9a-f]{64}$";
