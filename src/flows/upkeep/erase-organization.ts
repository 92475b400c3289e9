// Erases what is left of deleted organizations, in pieces.
import type { ErasureState } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Store } from "../../ports/store/store.ts";

/** Rows erased in one transaction, so that responses do not wait long for it. */
const BATCH = 500;

/** What a round of erasing an organization has done, and what is left. */
export interface OrganizationErasure {
  readonly rows: number;
  readonly state: ErasureState;
}

/**
 * Erases what is left of a deleted organization; resolves with the number of rows, and with what is left: nothing
 * (`done`), the content of responses that still run (`waiting`), or more, because it was stopped. `isStopped` is asked
 * before each piece.
 */
export async function eraseOrganization(
  store: Pick<Store, "eraseOrganization">,
  { organizationId, by, isStopped }: { organizationId: string; by: Actor; isStopped(): boolean },
): Promise<OrganizationErasure> {
  let rows = 0;
  let state: ErasureState = "more";
  while (state === "more" && !isStopped()) {
    const piece = await store.eraseOrganization({ by, organizationId, batch: BATCH, mayBlockWrites: false });
    rows += piece.erased;
    state = piece.state;
  }
  return { rows, state };
}
