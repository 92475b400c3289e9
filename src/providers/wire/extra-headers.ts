// Headers the operator configures, for gateways in front of a provider. Their values may be secrets.

export type ExtraHeaders = Readonly<Record<string, string>>;

/** Set by the connection or the request. */
const RESERVED = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Why a header cannot be sent, as the end of a sentence; null if it can. The value is not repeated. */
export function faultOfHeader(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "has a name that no header can have";
  if (RESERVED.has(name.toLowerCase())) return "is set by the service";
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? null
    : "contains characters that no header can contain";
}

/** Headers as name, value, name, value. The operator's replace ours of the same name. */
export function joinHeaders(ours: readonly string[], extra: ExtraHeaders): string[] {
  const names = new Set(Object.keys(extra).map((name) => name.toLowerCase()));
  const kept = ours.filter((_, at) => !names.has((ours[at - (at % 2)] ?? "").toLowerCase()));
  return [...kept, ...Object.entries(extra).flat()];
}
