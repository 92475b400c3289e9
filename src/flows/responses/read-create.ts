// The body of a create, read into a checked request with its idempotency claim.
import { ApiError } from "../../contract/errors.ts";
import { CreateResponseBody } from "../../contract/requests.ts";
import { readCreateBody } from "../../core/reading/create-body.ts";
import { SMALL_BODY_BYTES } from "../../core/reading/json-body.ts";
import type { CreateRequest } from "../../core/response/request.ts";
import type { Services } from "../../ports/services.ts";
import type { Claim } from "../../ports/store/claims.ts";
import type { Admitted } from "../access/admit.ts";
import { type ClaimedBody, parseClaimedBody } from "../claims.ts";
import type { Reply, RequestContext } from "../request-context.ts";

/** A create that has been admitted and read. */
export interface Create {
  readonly admitted: Admitted;
  readonly requestId: RequestContext["requestId"];
  readonly request: CreateRequest;
  /** Null without an Idempotency-Key. */
  readonly claim: Claim | null;
  /** Bytes of the body that are read. */
  readonly bytesRead: number;
  /** See RequestContext. */
  readonly openBodyReservation: RequestContext["openBodyReservation"];
  /** See RequestContext. */
  readonly reserveReply: RequestContext["reserveReply"];
  /** Whether it is so long that other requests are served between its stages. */
  readonly isLong: boolean;
  /** Whether its client is still there. */
  isConnected(): boolean;
}

/** The reply to a create whose response has begun, or that replays an earlier one. */
export interface CreateReply {
  readonly responseId: string;
  readonly reply: Reply | Promise<Reply>;
  /** Settles when the run no longer holds the request in memory; null for a replay, which has no run. */
  readonly ended: Promise<unknown> | null;
}

/** The body of a create as it was received. */
export interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** Null for a short body, which is parsed when it is read. */
  readonly parsed: ClaimedBody | null;
}

/**
 * Receives the body. A long one is parsed here, before the create waits for its turn to begin, so that short ones do
 * not wait behind it. Throws 400 and 413 for a body that is wrong as a whole.
 */
export async function receiveBody(services: Pick<Services, "secrets">, context: RequestContext): Promise<ReceivedBody> {
  const bytes = await context.readBody();
  const isLong = bytes.length > SMALL_BODY_BYTES;
  return { bytes, parsed: isLong ? await parseClaimedBody(services, context, bytes, CreateResponseBody) : null };
}

/** Reads a received body into a checked request. Throws 400. */
export async function readCreate(
  services: Pick<Services, "secrets">,
  context: RequestContext,
  admitted: Admitted,
  { bytes, parsed }: ReceivedBody,
): Promise<Create> {
  const body = parsed ?? (await parseClaimedBody(services, context, bytes, CreateResponseBody));
  const { fields, claim, bytesRead } = body;
  const request = readCreateBody(fields);
  context.model = request.model;
  const { requestId, isConnected, openBodyReservation, reserveReply } = context;
  const isLong = bytesRead > SMALL_BODY_BYTES;
  return { admitted, requestId, request, claim, bytesRead, isLong, isConnected, openBodyReservation, reserveReply };
}

/** Waits for a step of a create. Why its caller cannot pay comes before any error of the step. */
export async function paymentFirst<T>({ unpaid }: Admitted, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw error instanceof ApiError ? (unpaid ?? error) : error;
  }
}
