// How much of a provider's answer is read at most: a provider that misbehaves costs bounded memory (docs/reliability.md, F-25).

/** Longest SSE line, characters. A delta is some 200; the longest seen in the wild is a whole answer in one chunk. */
export const LINE_CHARACTERS_MAX = 1024 * 1024;
/** Most bytes of one answer, whatever its form: far above the largest output of any model. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Longest answer that comes as one JSON document instead of a stream, characters. */
export const DOCUMENT_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Most bytes read of the body of an error. */
export const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** Longest reason in a provider's own words that reaches a client, characters (code points). */
export const REASON_CHARACTERS_MAX = 500;
/** How long a connection may take to be made, milliseconds: two retries still fit into the 90 s wait. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long the body of an answer that has said its last word may stay open in silence, milliseconds: then its connection is closed. */
export const LINGER_MS = 5_000;
