// A path without a route: authentication precedes routing inside /v1. @spec what-the-service-does
import { notFound, ApiError } from "../contract/errors.ts";
import { authenticate } from "./access/authenticate.ts";
import type { Gateway } from "./gateway.ts";

/** Many clients try this path first; the 404 keeps its uniform envelope, but its message explains. */
const CHAT_COMPLETIONS = /\/v1\/chat\/completions(?:[/?#]|$)/;
const CHAT_COMPLETIONS_MESSAGE =
  "Chat completions are not served here: send model, input and instructions to POST /v1/responses, and continue with previous_response_id or a conversation.";

/** Throws 401 for a bad key, else the uniform 404; `target` is the path and query of the request line. */
export async function rejectUnknownRoute(
  gateway: Gateway,
  authorization: readonly string[],
  target: string,
): Promise<never> {
  await authenticate(gateway.services, authorization);
  throw CHAT_COMPLETIONS.test(target) ? new ApiError("resource_not_found", CHAT_COMPLETIONS_MESSAGE) : notFound();
}
