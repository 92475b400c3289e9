// The Authorization header. @spec authentication
import { Refusal } from "../../contract/errors.ts";

const BEARER = /^bearer +(\S+)$/i;

/**
 * The key that a request presents. Refuses 401 `invalid_api_key` when the header is missing, sent twice, or not `Bearer` (in any
 * letter case) and one key; `what` stands for the key in the refusal's words.
 */
export function readBearer(headers: readonly string[], what = "<API_KEY>"): string {
  const [header] = headers;
  const key = headers.length === 1 && header !== undefined ? BEARER.exec(header.trim())?.[1] : undefined;
  if (key === undefined) {
    throw new Refusal(
      "invalid_api_key",
      `Missing or malformed Authorization header: send \`Authorization: Bearer ${what}\`.`,
    );
  }
  return key;
}
