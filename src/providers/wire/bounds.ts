// Limits on a provider's response: a misbehaving provider uses bounded memory (docs/reliability.md, F-25).

/**
 * Longest line, event or document of a response, characters. A delta has some 200; the longest seen in the wild are whole responses in one
 * chunk, and images beside the text.
 */
export const EVENT_CHARACTERS_MAX = 8 * 1024 * 1024;
/** The most lines of one event. */
export const EVENT_LINES_MAX = 100_000;
/** Deepest JSON of a response, levels. The libraries that write it again need a stack as deep. */
export const JSON_DEPTH_MAX = 500;
/** The most values in the JSON of one event: 8 MiB of `{},{}` would take a second and a gigabyte. */
export const JSON_VALUES_MAX = 500_000;
/** The most content blocks tracked in one response: far more than any model emits. */
export const BLOCKS_MAX = 10_000;
/** Largest response, bytes: far above the largest output of any model. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
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
