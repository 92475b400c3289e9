// The numbers of the specification's Limits table, and the limits that an operator can set.
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
/** Maximum number of metadata pairs. @spec limits */
export const METADATA_PAIRS_MAX = 16;
/** Longest metadata key, characters. @spec limits */
export const METADATA_KEY_CHARACTERS_MAX = 64;
/** Longest metadata value, characters. @spec limits */
export const METADATA_VALUE_CHARACTERS_MAX = 512;
/** Maximum number of items of one create-conversation or add-items call. @spec limits */
export const ITEMS_PER_CALL_MAX = 20;
/** Smallest page of an item list. @spec limits */
export const ITEM_LIST_LIMIT_MIN = 1;
/** Largest page of an item list. @spec limits */
export const ITEM_LIST_LIMIT_MAX = 500;
/** Default page size of an item list. @spec limits */
export const ITEM_LIST_LIMIT_DEFAULT = 20;
/** Longest Idempotency-Key, bytes of printable ASCII. @spec limits */
export const IDEMPOTENCY_KEY_BYTES_MAX = 255;
/** Retention of idempotency keys, hours. @spec limits */
export const IDEMPOTENCY_RETENTION_HOURS = 24;
/** Deleted content is erased after this many days. @spec limits */
export const ERASURE_AFTER_DAYS = 30;
/** Context fit: characters (code points) per token. @spec limits */
export const CHARACTERS_PER_TOKEN = 4;
/** Context fit: share of max_output_tokens kept in reserve. @spec limits */
export const OUTPUT_RESERVE_SHARE = 0.15;
/** Context fit: tokens kept for platform instructions and tools. @spec limits */
export const PLATFORM_RESERVE_TOKENS = 2000;
/** Truncation `auto` frees a further share of the usable budget. @spec endpoints/truncation-behavior */
export const TRUNCATION_HEADROOM_SHARE = 0.1;

/** Deepest nesting of the parts of a JSON body that are read (docs/wire.md, Objects). */
export const JSON_DEPTH_MAX = 64;
/** Maximum number of values of a JSON body: strings, numbers, literals, arrays, objects (docs/wire.md, Objects). */
export const JSON_VALUES_MAX = 100_000;
/** Longest number of a JSON schema, characters: it keeps its digits wherever it goes. */
export const JSON_NUMBER_CHARACTERS_MAX = 4096;
/**
 * A `Retry-After` of our own lies between 1 and this many seconds: clients ignore larger values (docs/wire.md,
 * Objects).
 */
export const RETRY_AFTER_SECONDS_MAX = 60;
/** A request's headers must arrive within this many seconds (docs/wire.md, Objects). */
export const HEADERS_TIMEOUT_SECONDS = 10;
/** A request's body must arrive within this many seconds (docs/wire.md, Objects). */
export const BODY_TIMEOUT_SECONDS = 30;
/** Unread bytes after which a slow reader of a stream is dropped (docs/architecture.md, Durability). */
export const SLOW_READER_BYTES_MAX = 1024 * 1024;

const DEFAULTS = {
  non_streaming_wait_seconds: NON_STREAMING_WAIT_SECONDS,
  stream_ceiling_seconds: STREAM_CEILING_SECONDS,
  stream_keep_alive_seconds: STREAM_KEEP_ALIVE_SECONDS,
  idempotency_retention_hours: IDEMPOTENCY_RETENTION_HOURS,
  erasure_after_days: ERASURE_AFTER_DAYS,
  /** Days after its last use a history is deleted; null: never (docs/decisions/retention.md). */
  retention_days: null as number | null,
  /**
   * Responses that run at once on this node; further ones are `queued`. At some 4,000 responses a second and core,
   * these delay each other by at most half a second (docs/decisions/overload.md).
   */
  concurrent_turns: 1000,
  /** Longest queue; when it is full, a create is 503 gateway_overloaded. */
  queued_turns: 500,
  open_streams_per_organization: 5000,
  /** Requests per minute and organization, for each allowance class. */
  requests_per_minute: { create: 60_000, retrieve: 120_000, delete: 60_000 },
  /** Largest request body, bytes. */
  body_bytes: 32 * 1024 * 1024,
  /**
   * Bytes of large request bodies in memory: read, planned or kept by running responses. Small bodies have a separate
   * budget of the same size. Two of the largest: processing one may briefly take ten times its bytes
   * (docs/decisions/bodies.md).
   */
  bodies_in_hand_bytes: 64 * 1024 * 1024,
  /**
   * Bytes of output that running responses hold; beyond that, their providers are read one at a time. A hundred outputs
   * of 100,000 tokens, or the settlement of one of the largest (docs/decisions/outputs.md).
   */
  outputs_in_hand_bytes: 96 * 1024 * 1024,
  /**
   * Bytes of replies above 256 KiB that are being read from the store or sent; without room a request is 503
   * gateway_overloaded. One key may use 70 % of it: a reply of the largest size, or thirty pages of items
   * (docs/decisions/replies.md).
   */
  replies_in_hand_bytes: 96 * 1024 * 1024,
  /** How long events of the management feed are kept, days. */
  event_retention_days: 90,
  /** Longest run of a response, seconds; after that the response fails. */
  turn_seconds: 3600,
  /** Time in which a stopping node still takes new work, so that balancers learn from `/readyz` first, seconds. */
  drain_notice_seconds: 0,
  /** Time that a stopping node gives its responses to finish, seconds. */
  drain_seconds: 30,
};

/** The limits an operator can set in `turngate.yaml`; the first five are the specification's. */
export type ServiceLimits = Readonly<typeof DEFAULTS>;

/** Used where `turngate.yaml` sets none. */
export const DEFAULT_LIMITS: ServiceLimits = Object.freeze(DEFAULTS);
