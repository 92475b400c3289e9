// Regular expressions for values that the management interface and the command line share.

/** The head of the audit log: the SHA-256 of an entry, hexadecimal. */
export const AUDIT_HEAD_PATTERN = "^[0-9a-f]{64}$";
