// Operators who sign in: their links and their sessions. @spec authentication
import { secondsOf } from "../../ports/clock.ts";
import { OPERATOR_LINK_MINUTES } from "../../contract/manage/limits.ts";
import { readOperatorName } from "../../core/access/account-fields.ts";
import type { AdminContext } from "./admin-context.ts";
import { SESSION_LIFETIME } from "./session-lifetime.ts";

/** Creates a single-use link that signs in an operator. Throws 400 `invalid_input` for an empty or too long name. */
export async function createOperatorLink({ store, by, managementSecrets, manageUrl }: AdminContext, given: string) {
  const name = readOperatorName(given);
  const { secret, hash } = managementSecrets.mintSecret();
  const { expiresAtMs } = await store.setOperatorLink({ by, name, hash, lifetimeMs: OPERATOR_LINK_MINUTES * 60_000 });
  // The page asks a member for a password, and an operator, by this parameter, for none.
  const url = `${manageUrl}/sign-in?as=operator#${secret}`;
  return { operator: { name }, secret, url, expires_at: secondsOf(expiresAtMs) };
}

/** The sessions of all operators, newest first. */
export function listOperatorSessions({ store }: Pick<AdminContext, "store">) {
  return store.listSessions({ memberId: null, lifetime: SESSION_LIFETIME });
}

/** Ends the session of an operator; false if no operator has a session of that id. */
export async function endOperatorSession(admin: Pick<AdminContext, "store" | "by">, id: string): Promise<boolean> {
  const found = (await listOperatorSessions(admin)).some((session) => session.id === id);
  if (found) await admin.store.endSessions({ by: admin.by, ids: [id] });
  return found;
}
