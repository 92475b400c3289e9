// What every family of providers is built from, and the checks that all of them share.
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Provider } from "../ports/provider.ts";

/** The part of a configured provider that its family reads. */
export interface FamilyEntry {
  readonly name: string;
  /** Null: the family's own address, where it has one. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

/** What an adapter may touch of the world. */
export interface ProviderWorld {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Builds a provider. Throws an Error in words for the operator when the entry cannot work. */
export type ProviderFamily = (entry: FamilyEntry, world: ProviderWorld) => Provider;

/** A request that costs nothing and that only a good key is answered. */
export interface KeyCheck {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether this answer refuses the key. */
  refusesKey(status: number, body: string): boolean;
}

/** Makes the check of an entry's key. Throws an Error in words for the operator when the entry cannot work. */
export type MakeKeyCheck = (entry: FamilyEntry) => KeyCheck;

/** The address of a path below a base URL, whose query is kept. */
export function urlBelow(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, "") + path;
  return url;
}

/** Whether a status refuses a key on most wires. */
export function isKeyRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** What keeps a text from being a base URL, as the end of a sentence; null: nothing does. */
export function faultOfBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  if (url.username !== "" || url.password !== "") return "must hold no user or password: use api_key";
  return null;
}

/** What keeps a text from being a key, as the end of a sentence; null: nothing does. */
export function faultOfApiKey(text: string): string | null {
  // A line break from a file is the usual cause; the key itself is not repeated.
  return /^[\x21-\x7e]+$/.test(text) ? null : "holds characters that no header can";
}

/** The checked address of an entry. */
export function readBaseUrl(entry: FamilyEntry): URL {
  const { name, baseUrl } = entry;
  if (baseUrl === null) throw new Error(`Provider "${name}" needs a base_url, such as http://127.0.0.1:11434/v1.`);
  const fault = faultOfBaseUrl(baseUrl);
  if (fault !== null) throw new Error(`The base_url of provider "${name}" ${fault}.`);
  return new URL(baseUrl);
}

/** The key of an entry, one that can stand in a header; null when it has none. */
export function readApiKey(entry: FamilyEntry): string | null {
  const { name, apiKey } = entry;
  if (apiKey === null || apiKey === "") return null;
  const fault = faultOfApiKey(apiKey);
  if (fault !== null) throw new Error(`The api_key of provider "${name}" ${fault}.`);
  return apiKey;
}
