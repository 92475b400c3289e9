// A provider's base URL and API key: their checks, and what every family makes of them.
import type { FamilyEntry } from "./family.ts";
import type { HostedEntry, HostFault, KeyCheck, RoundRequest } from "./host.ts";

/** Where the requests of a provider go. */
export interface Endpoint {
  /** http or https; its path and query are kept. */
  readonly baseUrl: URL;
  /** Sent with every request: name, value, name, value. */
  readonly headers: readonly string[];
}

/** How a family's requests name its server and carry the key. */
interface EndpointRule {
  /** The family's own base URL, if it has one. */
  readonly baseUrl?: string;
  /** The headers with the key. */
  readonly keyHeaders: (apiKey: string) => readonly string[];
}

/** The endpoint of an entry, checked. Throws an Error for the operator. */
export function readEndpoint(entry: FamilyEntry, { baseUrl, keyHeaders }: EndpointRule): Endpoint {
  const apiKey = readApiKey(entry);
  return { baseUrl: readBaseUrl(entry, baseUrl ?? null), headers: apiKey === null ? [] : keyHeaders(apiKey) };
}

/** The key as most wires take it. */
export function bearerHeaders(apiKey: string): readonly string[] {
  return ["authorization", `Bearer ${apiKey}`];
}

/** The request of a round as the entry's host takes it; unchanged without a host. */
export function placeRequest({ host }: FamilyEntry, request: RoundRequest, upstreamModel: string): RoundRequest {
  return host?.place?.(request, upstreamModel) ?? request;
}

/** A key check that asks for the list of models below the base URL: it is free and succeeds with any valid key. */
export function checkByModels({ baseUrl, headers }: Endpoint, path = "/models"): KeyCheck {
  return { url: pathBelow(baseUrl, path), headers, rejectsKey: isKeyRejection };
}

/** An address below a base URL. */
export function pathBelow(baseUrl: URL, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, "") + path;
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

/** Whether the operator's own headers have one of these; the names in lower case. */
export function hasHeader({ headers = {} }: Pick<FamilyEntry, "headers">, ...names: readonly string[]): boolean {
  return Object.keys(headers).some((name) => names.includes(name.toLowerCase()));
}

/** The fault of a hosted entry with a key or its header, whose `host` also names an identity; `identityKeys` do that. */
export function findUselessIdentity({ hostSettings }: HostedEntry, identityKeys: readonly string[]): HostFault | null {
  const useless = identityKeys.find((key) => hostSettings[key] !== undefined);
  if (useless === undefined) return null;
  return { path: ["host", useless], message: "is set together with a key; set only one of them" };
}

/** The checked base URL of an entry, by default the family's own. */
function readBaseUrl(entry: FamilyEntry, byDefault: string | null): URL {
  const { name } = entry;
  const baseUrl = entry.baseUrl ?? byDefault;
  if (baseUrl === null) throw new Error(`Provider "${name}" needs a base_url, such as http://127.0.0.1:11434/v1.`);
  const fault = faultOfBaseUrl(baseUrl);
  if (fault !== null) throw new Error(`The base_url of provider "${name}" ${fault}.`);
  return new URL(baseUrl);
}

/** The API key of an entry, valid in a header; null when it has none. */
function readApiKey(entry: FamilyEntry): string | null {
  const { name, apiKey } = entry;
  if (apiKey === null || apiKey === "") return null;
  const fault = faultOfApiKey(apiKey);
  if (fault !== null) throw new Error(`The api_key of provider "${name}" ${fault}.`);
  return apiKey;
}
