// Cancels the running turns of deleted organizations. The command line and other nodes delete in the store alone, so
// each service looks there.
import type { Services } from "../../ports/services.ts";
import { repeat } from "../repeat.ts";
import type { Runs } from "../run/runs.ts";

/** An indexed read that usually finds nothing. */
const LOOK_EVERY_MS = 1000;

/**
 * Looks every second while turns are running here. The result stops it and resolves when the store is no longer used.
 */
export function startStoppingDeleted({ store, clock, log }: Services, runs: Runs): () => Promise<void> {
  return repeat(clock, {
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      if (runs.all().length === 0) return;
      // An organization counts as erased only when none of its turns is running.
      for (const { id } of await store.listDeletedOrganizations({ onlyUnerased: true })) runs.cancelOf(id);
    },
    onError: (error) => log.warn("organization.turns_not_cancelled", {}, error),
  });
}
