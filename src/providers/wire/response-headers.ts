// Headers of a provider's response, with its Retry-After. @spec errors/http-error-codes

/** Headers of a response by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The first value of a header; null if there is none. */
export function readHeader(headers: ResponseHeaders, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/**
 * Seconds to wait, rounded up: from `retry-after-ms`, else from `retry-after` in seconds or as a date; null if neither is valid.
 */
export function readRetryAfterSeconds(headers: ResponseHeaders, nowMs: number): number | null {
  const milliseconds = readDecimal(readHeader(headers, "retry-after-ms"));
  if (milliseconds !== null) return Math.ceil(milliseconds / 1000);
  const text = readHeader(headers, "retry-after");
  const seconds = readDecimal(text);
  if (seconds !== null) return Math.ceil(seconds);
  if (text === null) return null;
  const dateMs = readDateMs(text.trim());
  return Number.isNaN(dateMs) ? null : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}

/** Unix milliseconds of a date in any HTTP format or ISO 8601, else NaN. */
function readDateMs(text: string): number {
  // Date.parse accepts nearly anything as a year, even `-5`.
  if (!/^(?:[a-z]{3}|\d{4}-)/i.test(text)) return Number.NaN;
  // The oldest HTTP format has no time zone and means GMT.
  return Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text);
}

function readDecimal(text: string | null): number | null {
  if (text === null || !/^\s*\d{1,12}(\.\d*)?\s*$/.test(text)) return null;
  return Number(text);
}
