// When a provider wants to be asked again. @spec errors/http-error-codes

/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The one value of a header; of several the first; null when there is none. */
export function readHeader(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/**
 * Whole seconds to wait, rounded up: from `retry-after-ms`, else from `retry-after` in seconds or as a date; null when the answer
 * says nothing readable.
 */
export function readRetryAfterSeconds(headers: AnswerHeaders, nowMs: number): number | null {
  const milliseconds = readDecimal(readHeader(headers, "retry-after-ms"));
  if (milliseconds !== null) return Math.ceil(milliseconds / 1000);
  const text = readHeader(headers, "retry-after");
  const seconds = readDecimal(text);
  if (seconds !== null) return Math.ceil(seconds);
  if (text === null) return null;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}

function readDecimal(text: string | null): number | null {
  if (text === null || !/^\s*\d{1,12}(\.\d*)?\s*$/.test(text)) return null;
  return Number(text);
}
