// The body of a create, read into a checked request with its idempotency claim.
import { ApiError } from "../../contract/errors.ts";
import { CREATE_RESPONSE_SELECTION } from "../../core/reading/body-selections.ts";
import { readCreateBody } from "../../core/reading/create-body.ts";
import { SMALL_BODY_BYTES } from "../../core/reading/json-body.ts";
import type { Admitted } from "../access/admit.ts";
import { findEarlierRequest, parseClaimedBody } from "../claims.ts";
import type { Gateway } from "../gateway.ts";
import type { RequestContext } from "../request-context.ts";
import type { Create } from "./creating.ts";

/**
 * Receives the body; the result reads it. A long body is parsed here, before the create waits for its turn to begin, so
 * that short ones do not wait behind it. Missing payment is reported before anything wrong with the body.
 */
export async function receiveCreate(
  gateway: Gateway,
  context: RequestContext,
  admitted: Admitted,
): Promise<() => Promise<Create>> {
  const { services } = gateway;
  const bytes = await context.readBody().catch(paymentFirst(admitted));
  const parse = () => parseClaimedBody(services, context, bytes, CREATE_RESPONSE_SELECTION);
  const parsed = bytes.length > SMALL_BODY_BYTES ? await parse().catch(paymentFirst(admitted)) : null;
  const read = async (): Promise<Create> => {
    const { fields, claim, bytesRead } = parsed ?? (await parse());
    const request = readCreateBody(fields);
    const earlier = await findEarlierRequest(services, admitted.caller, claim);
    const { isConnected, takeRoom } = context;
    const isLong = bytesRead > SMALL_BODY_BYTES;
    return { admitted, request, claim, earlier, bytesRead, isLong, isConnected, takeRoom };
  };
  return () => read().catch(paymentFirst(admitted));
}

/** A handler of rejections that prefers the payment error to another API error. */
function paymentFirst({ unpaid }: Admitted): (error: unknown) => never {
  return (error) => {
    throw error instanceof ApiError ? (unpaid ?? error) : error;
  };
}
