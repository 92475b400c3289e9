// Whether a provider answers, as its last calls say.
import type { ProviderHealth } from "../../api/client.ts";
import { Status } from "../../parts/status.tsx";

/** Whether the last call failed. A turn may end in the second of another one's failure; the success then counts. */
export function hasFailedLast({ last_success_at: success, last_failure: failure }: ProviderHealth): boolean {
  return failure !== null && (success === null || success < failure.at);
}

export function ProviderState({ provider }: { provider: ProviderHealth }) {
  const { last_success_at: success, last_failure: failure } = provider;
  if (success === null && failure === null) return <Status tone="calm">not called yet</Status>;
  const isGood = !hasFailedLast(provider);
  return <Status tone={isGood ? "good" : "bad"}>{isGood ? "answers" : "failed last"}</Status>;
}
