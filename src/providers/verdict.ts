// Which failure an HTTP status is, for every family alike; and the sentence that a client reads.
// @spec errors/failed-responses
import type { FailureCode } from "../contract/failures.ts";

/** The failures that a provider can raise. */
export const PROVIDER_FAILURE_CODES = [
  "provider_client_error",
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
  "end_user_blocked",
  "canceled",
] as const satisfies readonly FailureCode[];
export type ProviderFailureCode = (typeof PROVIDER_FAILURE_CODES)[number];

export interface Verdict {
  readonly code: ProviderFailureCode;
  /** Whether the provider certainly did not run the request (docs/wire.md, rule 14). */
  readonly certainlyNotRun: boolean;
}

/** Our own account or configuration at the provider, not the client's request: its key, its quota, its model's name. */
const OURS: Verdict = { code: "provider_unavailable", certainlyNotRun: false };
const NOT_RUN: Verdict = { code: "provider_unavailable", certainlyNotRun: true };

const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [401, OURS],
  [402, OURS],
  [403, OURS],
  [404, OURS],
  [407, OURS],
  // A timeout of reading our request, or of running it: which of the two is not said.
  [408, { code: "provider_unavailable", certainlyNotRun: false }],
  [429, { code: "provider_rate_limited", certainlyNotRun: false }],
  [500, NOT_RUN],
  [502, NOT_RUN],
  [503, NOT_RUN],
  [504, NOT_RUN],
  // Anthropic's own status, taken over by proxies.
  [529, { code: "provider_overloaded", certainlyNotRun: false }],
]);

/** The failure that a status other than 2xx is, before any output (docs/wire.md, settled 1). */
export function verdictOfStatus(status: number): Verdict {
  const known = BY_STATUS.get(status);
  if (known !== undefined) return known;
  if (status >= 400 && status < 500) return { code: "provider_client_error", certainlyNotRun: false };
  // A redirect is a wrong base_url, any other 5xx may have run.
  return { code: "provider_unavailable", certainlyNotRun: false };
}

/** What a client reads when the provider's own words are none of its business: they speak of our account. */
export const FAILURE_SENTENCES: Readonly<Record<ProviderFailureCode, string>> = {
  provider_client_error: "The provider rejected the request.",
  provider_error: "The provider's answer could not be used.",
  provider_overloaded: "The provider is overloaded.",
  provider_rate_limited: "The provider limits the rate of requests.",
  provider_unavailable: "The provider did not complete the request.",
  end_user_blocked: "The provider refuses the end user named by safety_identifier or user.",
  canceled: "The provider canceled the request.",
};
