// Whether a provider answers, as its last calls say.
import type { ProviderHealth } from "../../api/client.ts";
import { Status } from "../../parts/status.tsx";

export function ProviderState({
  provider: { last_success_at: success, last_failure: failure },
}: {
  provider: ProviderHealth;
}) {
  if (success === null && failure === null) return <Status tone="calm">not called yet</Status>;
  // A turn may end in the second of another one's failure; the success then counts.
  const isGood = failure === null || (success !== null && success >= failure.at);
  return <Status tone={isGood ? "good" : "bad"}>{isGood ? "answers" : "failed last"}</Status>;
}
