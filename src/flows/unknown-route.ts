// A path without a route. Inside /v1 authentication precedes routing. @spec what-the-service-does
import { ApiError, notFound } from "../contract/errors.ts";
import { authenticate, type KeyServices } from "./access/authenticate.ts";

/** The path of a request target, which may be a whole URL. */
const PATH = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/;

/** Paths that clients often try, and what to change. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^\/v1\/chat\/completions$/,
    "Chat completions are not served here: send model, input and instructions to POST /v1/responses, and continue with previous_response_id or a conversation.",
  ],
  [/^\/v1\/v1(?:\/|$)/, "This path has /v1 twice: the client adds it to a base URL that ends in /v1 already."],
  [/^\/v1\/?$/, "This is the base URL: GET /v1/models lists the models, POST /v1/responses creates a response."],
  [
    /^\/$/,
    "This is Turngate. The base URL of a client is this address with /v1 at its end; /docs describes the interface.",
  ],
  [
    /^\/(?:models|responses|conversations|chat\/completions)(?:\/|$)/,
    "This path lacks /v1: the base URL of a client is this address with /v1 at its end.",
  ],
];

/** The uniform 404; its message explains the paths that clients often try. `target` is that of the request line. */
export function unknownPath(target: string): ApiError {
  const path = PATH.exec(target)?.[1] ?? "";
  const hint = HINTS.find(([pattern]) => pattern.test(path))?.[1];
  return hint === undefined ? notFound() : new ApiError("resource_not_found", hint);
}

/** Throws 401 for a bad key, else the uniform 404; `target` is the path and query of the request line. */
export async function rejectUnknownRoute(
  services: KeyServices,
  authorization: readonly string[],
  target: string,
): Promise<never> {
  await authenticate(services, authorization);
  throw unknownPath(target);
}
