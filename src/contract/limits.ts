// Every number of the specification's Limits table under its own name, with its unit, and the operator's own limits.
// @spec limits

/** Non-streaming wait, seconds. @spec limits */
export const NON_STREAMING_WAIT_SECONDS = 90;
/** A stream closes with its terminal event after this many seconds. @spec limits */
export const STREAM_CEILING_SECONDS = 300;
/** A comment frame is sent after this many seconds without a frame. @spec limits */
export const STREAM_KEEP_ALIVE_SECONDS = 15;
/** Smallest max_output_tokens. @spec limits */
export const MAX_OUTPUT_TOKENS_MIN = 16;
/** Smallest max_tool_calls. @spec limits */
export const MAX_TOOL_CALLS_MIN = 1;
/** Longest safety_identifier, characters (Unicode code points). @spec limits */
export const SAFETY_IDENTIFIER_CHARACTERS_MAX = 64;
/** Most metadata pairs. @spec limits */
export const METADATA_PAIRS_MAX = 16;
/** Longest metadata key, characters. @spec limits */
export const METADATA_KEY_CHARACTERS_MAX = 64;
/** Longest metadata value, characters. @spec limits */
export const METADATA_VALUE_CHARACTERS_MAX = 512;
/** Most items of one create-conversation or add-items call. @spec limits */
export const ITEMS_PER_CALL_MAX = 20;
/** Smallest page of an item list. @spec limits */
export const ITEM_LIST_LIMIT_MIN = 1;
/** Largest page of an item list. @spec limits */
export const ITEM_LIST_LIMIT_MAX = 500;
/** Page of an item list when the query names none. @spec limits */
export const ITEM_LIST_LIMIT_DEFAULT = 20;
/** Longest Idempotency-Key, bytes of printable ASCII. @spec limits */
export const IDEMPOTENCY_KEY_BYTES_MAX = 255;
/** How long an idempotency key is kept, hours. @spec limits */
export const IDEMPOTENCY_RETENTION_HOURS = 24;
/** Deleted content is erased after this many days. @spec limits */
export const ERASURE_AFTER_DAYS = 30;
/** Context fit estimate: characters (code points) a token. @spec limits */
export const CHARACTERS_PER_TOKEN = 4;
/** Context fit: share of max_output_tokens kept in reserve. @spec limits */
export const OUTPUT_RESERVE_SHARE = 0.15;
/** Context fit: tokens kept for platform instructions and tools. @spec limits */
export const PLATFORM_RESERVE_TOKENS = 2000;
/** Truncation `auto` frees a further share of the usable budget. @spec resources/truncation-behavior */
export const TRUNCATION_HEADROOM_SHARE = 0.1;

/** Deepest nesting of a JSON body (docs/wire.md, objects). */
export const JSON_DEPTH_MAX = 64;
/** A `Retry-After` lies between 1 and this many seconds: clients ignore larger values (docs/wire.md). */
export const RETRY_AFTER_SECONDS_MAX = 60;
/** A request's headers must arrive within this many seconds (docs/wire.md). */
export const HEADERS_TIMEOUT_SECONDS = 10;
/** A request's body must arrive within this many seconds (docs/wire.md). */
export const BODY_TIMEOUT_SECONDS = 30;
/** What a stream's reader may leave unread before it is dropped, bytes (docs/architecture.md, rule 5). */
export const SLOW_READER_BYTES_MAX = 1024 * 1024;

/** The limits an operator can set in `turngate.yaml`; the first five are the specification's. */
export interface ServiceLimits {
  readonly non_streaming_wait_seconds: number;
  readonly stream_ceiling_seconds: number;
  readonly stream_keep_alive_seconds: number;
  readonly idempotency_retention_hours: number;
  readonly erasure_after_days: number;
  /** Turns that run at once on this node; more are accepted as `queued`. */
  readonly concurrent_turns: number;
  /** Turns that may wait; when the queue is full a create answers 503 gateway_overloaded. */
  readonly queued_turns: number;
  readonly open_streams_per_organization: number;
  /** Allowances per organization, requests a minute, one an allowance class. */
  readonly requests_per_minute: { readonly create: number; readonly retrieve: number; readonly delete: number };
  /** Largest request body, bytes. */
  readonly body_bytes: number;
  /** Longest run of one turn, seconds; a provider that hangs longer fails the turn. */
  readonly turn_seconds: number;
  /** How long a stopping node lets its turns finish, seconds. */
  readonly drain_seconds: number;
}

/** What holds when `turngate.yaml` says nothing. */
export const DEFAULT_LIMITS: ServiceLimits = Object.freeze({
  non_streaming_wait_seconds: NON_STREAMING_WAIT_SECONDS,
  stream_ceiling_seconds: STREAM_CEILING_SECONDS,
  stream_keep_alive_seconds: STREAM_KEEP_ALIVE_SECONDS,
  idempotency_retention_hours: IDEMPOTENCY_RETENTION_HOURS,
  erasure_after_days: ERASURE_AFTER_DAYS,
  // At some 4,000 turns a second of one core these wait no longer than half a second for each other (docs/decisions/overload.md).
  concurrent_turns: 1000,
  queued_turns: 500,
  open_streams_per_organization: 5000,
  requests_per_minute: Object.freeze({ create: 60_000, retrieve: 120_000, delete: 60_000 }),
  body_bytes: 32 * 1024 * 1024,
  turn_seconds: 3600,
  drain_seconds: 30,
});
