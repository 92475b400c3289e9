// The numbers of the management interface, with their units. docs/management.md

/** Largest body of a request, bytes. */
export const MANAGE_BODY_BYTES_MAX = 64 * 1024;
/** A session that is not used ends after this long, hours. */
export const SESSION_IDLE_HOURS = 12;
/** Every session ends after this long, hours. */
export const SESSION_ABSOLUTE_HOURS = 7 * 24;
/** A sign-in link is good for this long, hours. */
export const SIGN_IN_LINK_HOURS = 24;
/** Shortest and longest password, characters. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;
/** Sign-ins that one address may try for one e-mail address, a minute. */
export const SIGN_INS_PER_MINUTE = 5;
/** Sign-ins that one address may try at all, and that anybody may try for one e-mail address, a minute. */
export const SIGN_INS_PER_ADDRESS_MINUTE = 20;
export const SIGN_INS_PER_EMAIL_MINUTE = 30;
/** Entries of a page of the audit log. */
export const AUDIT_PAGE_MAX = 500;
export const AUDIT_PAGE_DEFAULT = 50;
/** Shortest name of a key or token, characters. @spec authentication */
export const KEY_NAME_CHARACTERS_MIN = 3;
/** Longest name of anything, and longest e-mail address, characters. */
export const NAME_CHARACTERS_MAX = 200;
export const EMAIL_CHARACTERS_MAX = 254;
