// One request as the flows see it, and what they answer: the seam between http/ and flows/.
import type { LadderEvent } from "../contract/events.ts";
import type { Operation } from "../contract/routes.ts";

/** A request, unread: nothing of it has been checked but its path, and its body may still be on its way. */
export interface Exchange {
  readonly operation: Operation;
  /** Every Authorization header as sent; more than one is refused. */
  readonly authorization: readonly string[];
  /** Every Idempotency-Key header as sent; more than one is refused. */
  readonly idempotencyKeys: readonly string[];
  /** Path ids, decoded: `response_id`, `conversation_id`, `item_id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; `include`, `include[]` and `include[0]` are all `include`. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /**
   * The bytes of the body, empty when there is none; asked for once, after the caller has been admitted, so that nobody else's are kept.
   * Refuses 413 `invalid_input` one that is too large, 400 an encoded one.
   */
  readBody(): Promise<Uint8Array>;
  /** Set by the flow once it knows: the `x-ratelimit-*` headers of the answer, a refusal's too. */
  allowance: AllowanceReport | null;
  /** Set by a create once its turn has begun, or an earlier one answers it again: the log joins the request and the turn by it. */
  responseId: string | undefined;
}

/** What an allowance stood at after this request. */
export interface AllowanceReport {
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the allowance is whole again, milliseconds. */
  readonly resetMs: number;
}

/** The answer of a flow: status 200 either way; a refusal is thrown. */
export type Reply = JsonReply | JsonTextReply | StreamReply;

/** A JSON object. */
export interface JsonReply {
  readonly kind: "json";
  readonly body: object;
}

/** The text of a JSON object: for what is stored as text and passes through. */
export interface JsonTextReply {
  readonly kind: "json_text";
  readonly text: string;
}

/** A stream of events; http/sse numbers, pads and frames them. */
export interface StreamReply {
  readonly kind: "stream";
  readonly includeObfuscation: boolean;
  /** Starts handing events to the reader, at once or as they happen; called once. Calling the result stops it, harmlessly when it has ended. */
  watch(reader: StreamReader): () => void;
}

/** Who reads a stream. Its own connection is its own affair: nothing it does reaches the run. */
export interface StreamReader {
  event(event: LadderEvent): void;
  /** After the terminal event. */
  end(): void;
}
