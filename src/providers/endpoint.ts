// Checks of a provider's base URL and API key, shared by the configuration and every family.
import type { FamilyEntry } from "./family.ts";

/** The address of a path below a base URL, whose query is kept. */
export function urlBelow(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, "") + path;
  return url;
}

/** Whether a status says that the key is wrong, on most wires. */
export function isKeyRejection(status: number): boolean {
  return status === 401 || status === 403;
}

/** Why a text is no base URL, as the end of a sentence; null for a good one. */
export function faultOfBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  if (url.username !== "" || url.password !== "") return "must contain no user or password: use api_key";
  return null;
}

/** Why a text is no API key, as the end of a sentence; null for a good one. */
export function faultOfApiKey(text: string): string | null {
  // Usually a line break from a file. The message must not repeat the key.
  return /^[\x21-\x7e]+$/.test(text) ? null : "contains characters that no header can contain";
}

/** The checked base URL of an entry, by default the family's own. Throws an Error for the operator. */
export function readBaseUrl(entry: FamilyEntry, byDefault: string | null = null): URL {
  const { name } = entry;
  const baseUrl = entry.baseUrl ?? byDefault;
  if (baseUrl === null) throw new Error(`Provider "${name}" needs a base_url, such as http://127.0.0.1:11434/v1.`);
  const fault = faultOfBaseUrl(baseUrl);
  if (fault !== null) throw new Error(`The base_url of provider "${name}" ${fault}.`);
  return new URL(baseUrl);
}

/** The API key of an entry, valid in a header; null when it has none. Throws an Error for the operator. */
export function readApiKey(entry: FamilyEntry): string | null {
  const { name, apiKey } = entry;
  if (apiKey === null || apiKey === "") return null;
  const fault = faultOfApiKey(apiKey);
  if (fault !== null) throw new Error(`The api_key of provider "${name}" ${fault}.`);
  return apiKey;
}
