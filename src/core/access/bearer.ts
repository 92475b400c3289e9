// Reads the Authorization header. @spec authentication
import { ApiError } from "../../contract/errors.ts";

/** Spaces and tabs may surround a header value; a key is printable ASCII. */
const BEARER = /^[ \t]*bearer +([!-~]+)[ \t]*$/i;
/** What documents and shells write for a key: `sk_…` (its bytes as Node reads them), `sk_...`, `<API_KEY>`, `$API_KEY`. */
const PLACEHOLDER = /^[ \t]*bearer +(?:\w+_(?:\u00e2\u0080\u00a6|\.{3})|<.*>|\$\{?\w+\}?)/i;

/**
 * The key of a request. Throws 401 `invalid_api_key` when the header is missing, repeated, or not `Bearer` (in any
 * letter case) and one key. `placeholder` stands for the key in the message, whose beginning the specification
 * prescribes.
 */
export function readBearer(headers: readonly string[], placeholder = "<API_KEY>"): string {
  const [header] = headers;
  const key = headers.length === 1 && header !== undefined ? BEARER.exec(header)?.[1] : undefined;
  if (header !== undefined && PLACEHOLDER.test(header)) {
    throw new ApiError(
      "invalid_api_key",
      `missing or malformed Authorization header: it has a placeholder where ${placeholder} belongs: send the secret itself, as it was shown when it was created.`,
    );
  }
  if (key === undefined) {
    throw new ApiError(
      "invalid_api_key",
      `missing or malformed Authorization header: send \`Authorization: Bearer ${placeholder}\`.`,
    );
  }
  return key;
}
