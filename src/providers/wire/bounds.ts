// Limits on a provider's response: a misbehaving provider uses bounded memory (docs/reliability.md, F-25).

/** Longest SSE line, characters. A delta has some 200; the longest seen in the wild is a whole response in one chunk. */
export const LINE_CHARACTERS_MAX = 1024 * 1024;
/** The most content blocks tracked in one response: far more than any model emits. */
export const BLOCKS_MAX = 10_000;
/** Largest response, bytes: far above the largest output of any model. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** Longest response that is one JSON document instead of a stream, characters: it is parsed at once. */
export const DOCUMENT_CHARACTERS_MAX = 2 * 1024 * 1024;
/** Bytes decoded in one turn of the event loop, roughly: 500 calls or 1,000 deltas, a few milliseconds. */
export const DECODED_BYTES_A_TURN = 64 * 1024;
/** The most bytes read of the body of an error response. */
export const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** Longest error message of a provider that reaches a client, code points. */
export const REASON_CHARACTERS_MAX = 500;
/** Connect timeout, milliseconds: two retries still fit into the 90 s wait. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long a finished response may stay open in silence, milliseconds, before its connection is closed. */
export const LINGER_MS = 5_000;
