// The values that pass between the steps of creating a response.
import type { CreateRequest } from "../../core/turn/request.ts";
import type { Claim, EarlierClaim } from "../../ports/store/claims.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";

/** A create that has been admitted and read. */
export interface Create {
  readonly admitted: Admitted;
  readonly request: CreateRequest;
  /** Null without an Idempotency-Key. */
  readonly claim: Claim | null;
  /** The result of an earlier request with the same key; null: this is the first. */
  readonly earlier: EarlierClaim | null;
  /** Bytes of the body that became values. */
  readonly bytesRead: number;
  /** Takes room for a long reply, see RequestContext. */
  readonly takeRoom: RequestContext["takeRoom"];
  /** Whether it is so long that other requests are served between its stages. */
  readonly isLong: boolean;
  /** Whether its client is still there. */
  isConnected(): boolean;
}

/** The reply to a create whose turn has begun, or that replays an earlier one. */
export interface CreateReply {
  readonly responseId: string;
  readonly reply: Reply | Promise<Reply>;
  /** Settles when the run no longer holds the request in memory; null for a replay, which has no run. */
  readonly ended: Promise<unknown> | null;
}
