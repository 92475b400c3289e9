// A request as the flows see it, and their reply: the interface between server/v1/ and flows/.
import type { ResponseEvent } from "../contract/events.ts";
import type { Operation } from "../contract/routes.ts";
import type { JsonPieces } from "../core/history/item-list.ts";
import type { Caller } from "../ports/store/histories.ts";

/** A request of which only the path has been checked; its body may still be arriving. */
export interface RequestContext {
  readonly operation: Operation;
  /** As in `x-request-id`. */
  readonly requestId: string;
  /** Every Authorization header as sent; more than one is an error. */
  readonly authorization: readonly string[];
  /** Every Idempotency-Key header as sent; more than one is an error. */
  readonly idempotencyKeys: readonly string[];
  /** Path ids, decoded: `response_id`, `conversation_id`, `item_id`. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; `include`, `include[]` and `include[0]` are all `include`. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /**
   * The bytes of the body, empty without one. Called once, after the caller is admitted, so that only admitted bodies
   * are buffered. Throws 413 `invalid_input` for a body that is too large, 400 for an encoded one, 503
   * `gateway_overloaded` when it does not fit into the capacity for bodies.
   */
  readBody(): Promise<Uint8Array>;
  /**
   * The memory that is reserved for the body is released once the flow has replied. A flow that keeps values of the body
   * for longer keeps that many bytes reserved until `end` settles.
   */
  keepBodyReserved(end: Promise<unknown>, bytes: number): void;
  /** Opens a further reservation of the capacity for bodies, empty. */
  openBodyReservation(): Reservation;
  /** Whether the client is still there; false once its response has been sent. */
  isConnected(): boolean;
  /**
   * Reserves memory for a reply with so much content, until it is sent. To be called before the content is in memory. Throws
   * 503 `gateway_overloaded` when there is none.
   */
  reserveReply(bytes: number): void;
  /** Set by the flow: the `x-ratelimit-*` headers of the reply, also of an error. */
  allowance: AllowanceReport | null;
  /** Set by the flow once the key is known: a rejection is kept for its organization. */
  caller: Caller | null;
  /** Set by a create once its body is read: the model that it names, for the log of rejections. */
  model: string | null;
  /**
   * Set by a create once its response has begun or an earlier one is replayed; the log joins request and response by
   * it.
   */
  responseId: string | undefined;
}

/** A part of a capacity that one holder has reserved, in bytes. */
export interface Reservation {
  /** Reserves `bytes` in all; throws 503 `gateway_overloaded`, and takes nothing, when there is none. */
  reserve(bytes: number): void;
  /** The same; false when there is none. */
  tryReserve(bytes: number): boolean;
  /** Gives back what is beyond so many bytes. */
  shrinkTo(bytes: number): void;
}

/** An allowance after this request. */
export interface AllowanceReport {
  /** Requests a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Time until the allowance is full again, milliseconds. */
  readonly resetMs: number;
}

/** The reply of a flow, always with status 200; errors are thrown. */
export type Reply = (JsonReply | JsonTextReply | StreamReply) & {
  /** Called when the reply has been sent or cannot be. */
  readonly onSent?: () => void;
};

/** A JSON object. */
export interface JsonReply {
  readonly kind: "json";
  readonly body: object;
}

/** A JSON object in pieces, for items that are passed through as stored. */
export interface JsonTextReply {
  readonly kind: "json_text";
  readonly pieces: JsonPieces;
}

/** A stream of events; server/v1/sse numbers, pads and frames them. */
export interface StreamReply {
  readonly kind: "stream";
  readonly includeObfuscation: boolean;
  /**
   * Starts passing events to the reader, past ones at once; called once. The result stops it; a no-op after the end.
   */
  watch(reader: StreamReader): () => void;
}

/** The reader of a stream. Its connection never affects the run. */
export interface StreamReader {
  event(event: ResponseEvent): void;
  /** After the terminal event. */
  end(): void;
}
