// Reads the Authorization header. @spec authentication
import { ApiError } from "../../contract/errors.ts";

/** Spaces and tabs may surround a header value; a key is printable ASCII. */
const BEARER = /^[ \t]*bearer +([!-~]+)[ \t]*$/i;

/**
 * The key of a request. Throws 401 `invalid_api_key` when the header is missing, repeated, or not `Bearer` (in any
 * letter case) and one key. `placeholder` stands for the key in the message, whose beginning the specification
 * prescribes.
 */
export function readBearer(headers: readonly string[], placeholder = "<API_KEY>"): string {
  const [header] = headers;
  const key = headers.length === 1 && header !== undefined ? BEARER.exec(header)?.[1] : undefined;
  if (key === undefined) {
    throw new ApiError(
      "invalid_api_key",
      `missing or malformed Authorization header: send \`Authorization: Bearer ${placeholder}\`.`,
    );
  }
  return key;
}
