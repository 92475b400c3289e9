// Limits of the management interface, without shapes: the store's threads load no schema library. docs/management.md

/** Largest body of a request, bytes. */
export const MANAGE_BODY_BYTES_MAX = 64 * 1024;
/** Bytes of request bodies in memory: a hundred of the largest. */
export const MANAGE_BODIES_IN_HAND_BYTES = 100 * MANAGE_BODY_BYTES_MAX;
/** Lifetime of an unused session, hours. */
export const SESSION_IDLE_HOURS = 12;
/** Longest lifetime of a session, hours. */
export const SESSION_ABSOLUTE_HOURS = 7 * 24;
/** Sessions that a person can have: one more ends the oldest. It bounds the lists. */
export const SESSIONS_PER_PERSON_MAX = 100;
/** Lifetime of a sign-in link, hours. */
export const SIGN_IN_LINK_HOURS = 24;
/** Lifetime of an operator's sign-in link, minutes. Short: it opens the whole service, and is used at once. */
export const OPERATOR_LINK_MINUTES = 15;
/** How long a person may take at the provider of single sign-on, minutes. */
export const SINGLE_SIGN_ON_MINUTES = 10;
/** Longest query with which the provider sends a browser back, characters. */
export const CALLBACK_CHARACTERS_MAX = 8000;
/** Longest `User-Agent` that is kept with a session, characters. */
export const USER_AGENT_CHARACTERS_MAX = 200;
/** Shortest and longest password, characters. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;
/** Sign-in attempts per minute from one IP address for one e-mail address. */
export const SIGN_INS_PER_MINUTE = 5;
/** Sign-in attempts per minute from one IP address, and for one e-mail address. */
export const SIGN_INS_PER_ADDRESS_MINUTE = 20;
export const SIGN_INS_PER_EMAIL_MINUTE = 30;
/**
 * Changes of an organization a minute, by its people and tokens and on each node: more than any program of a customer
 * makes, and little enough that the audit log, which keeps them all, grows slowly.
 */
export const CHANGES_PER_MINUTE = 300;
/** Page size of the audit log. */
export const AUDIT_PAGE_MAX = 500;
export const AUDIT_PAGE_DEFAULT = 50;
/** The most entries of the audit log that a page reads to find those of a filter. */
export const AUDIT_READ_MAX = 10_000;
/** The most rows of usage; more groups or days are an error. */
export const USAGE_ROWS_MAX = 20_000;

/** Lines of usage of a page, by default and at most. */
export const USAGE_LINES_DEFAULT = 1000;
export const USAGE_LINES_MAX = 5000;
/** Minutes over which calls of providers are counted. */
export const PROVIDER_WINDOW_MINUTES = 15;
/** Checks of the providers that one node makes a minute, so that nobody can flood a provider with questions. */
export const PROVIDER_CHECKS_PER_MINUTE = 6;
/** Running responses that are listed. */
export const RUNNING_TURNS_MAX = 500;
/** Page size of the log of turns, and the most responses that a page reads to find those of a filter. */
export const TURNS_PAGE_MAX = 200;
export const TURNS_PAGE_DEFAULT = 50;
export const TURNS_READ_MAX = 10_000;
/** Page size of the conversations of a key. */
export const KEY_CONVERSATIONS_PAGE_MAX = 100;
export const KEY_CONVERSATIONS_PAGE_DEFAULT = 20;
/** Groups of responses that are listed; further ones are added up. */
export const TURN_GROUPS_MAX = 100;
/** Longest label of a response, UTF-16 units: a key of 64 characters, `=`, and a value of 512. */
export const LABEL_CHARACTERS_MAX = 64 + 1 + 2 * 512;
/** Minutes that the summary of turns is about, and the most of their responses that it reads. */
export const TURN_SUMMARY_MINUTES = 60;
export const TURN_SUMMARY_READ_MAX = 1000;
/** The most transfers that a page of the ledger reads to find those of an organization. */
export const TRANSFERS_READ_MAX = 20_000;
/**
 * The most members of an organization, and the most of its keys and tokens that are valid: so many may be made in 24
 * hours, too. Revoked ones stay in the lists.
 */
export const MEMBERS_MAX = 10_000;
export const KEYS_MAX = 10_000;
export const TOKENS_MAX = 10_000;
/** The most valid tokens that one member has made. */
export const TOKENS_PER_MEMBER_MAX = 1000;
/** The most budgets of an organization: one for each member and key. */
export const BUDGETS_MAX = 20_000;
/** Page size of the lists of members, keys and tokens. */
export const ACCOUNTS_PAGE_MAX = 1000;
export const ACCOUNTS_PAGE_DEFAULT = 1000;
/** Shortest name of a key or token, characters. @spec authentication */
export const KEY_NAME_CHARACTERS_MIN = 3;
/** Longest name of anything, and longest e-mail address, characters. */
export const NAME_CHARACTERS_MAX = 200;
export const EMAIL_CHARACTERS_MAX = 254;

/** Longest retention of histories that can be set, days: a hundred years. */
export const RETENTION_DAYS_MAX = 36_525;
/** Rejections that are kept of an organization, and how long, days. */
export const REJECTIONS_KEPT_MAX = 2000;
export const REJECTIONS_KEPT_DAYS = 7;
/** Rejections that a node keeps of one key, and of one organization, in a minute; the others are counted. */
export const REJECTIONS_OF_KEY_A_MINUTE = 20;
export const REJECTIONS_OF_ORGANIZATION_A_MINUTE = 100;
/** Longest request id that is looked up, characters. */
export const REQUEST_ID_CHARACTERS_MAX = 200;
