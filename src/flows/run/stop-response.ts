// Stops a response of a caller, queued or running. @spec states-and-transitions
import { isTerminal } from "../../contract/statuses.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { stopElsewhere } from "../nodes/run-elsewhere.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";

/**
 * Resolves once a visible response has ended. False for every cause of the uniform 404, and when the
 * response was withdrawn meanwhile. Rejects with a StoreError (`unavailable`) when the store is late with its end.
 */
export async function stopResponse(
  services: Services & Pick<Capacity, "runs">,
  query: { readonly caller: Caller; readonly responseId: string },
): Promise<boolean> {
  const { store, runs } = services;
  const status = await store.readStatus(query);
  if (status === null || isTerminal(status)) return status !== null;
  const run = runs.find(query.responseId);
  if (run === undefined) {
    // It ended between the two reads, or another node runs it.
    const latest = await store.readStatus(query);
    if (latest !== null && !isTerminal(latest)) await stopElsewhere(services, query);
    return latest !== null;
  }
  run.stop("cancelled");
  const end = await run.endedInTime();
  return end.kind === "settled";
}
