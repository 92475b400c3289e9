// How many rejected requests are kept, without shapes: the store's threads load no schema library.

/** Rejections that are kept of an organization, and how long, days. */
export const REJECTIONS_KEPT_MAX = 2000;
export const REJECTIONS_KEPT_DAYS = 7;
/** Rejections that a node keeps of one key, and of one organization, in a minute; the others are counted. */
export const REJECTIONS_OF_KEY_A_MINUTE = 20;
export const REJECTIONS_OF_ORGANIZATION_A_MINUTE = 100;
/** Longest request id that is looked up, characters. */
export const REQUEST_ID_CHARACTERS_MAX = 200;
