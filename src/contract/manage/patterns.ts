// Regular expressions for values that the management interface and the command line share.

/** The head of the audit log: the SHA-256 of an entry, hexadecimal. */
export const AUDIT_HEAD_PATTERN = "^[0-9a-f]{64}$";
/** A place in the log of turns: a time and the response that began then. */
export const TURN_CURSOR_PATTERN = "^\\d{1,12}\\.resp_[A-Za-z0-9_-]{1,200}$";
