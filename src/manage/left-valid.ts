// What stays valid of the members that a plan removes: tokens that they made, and keys without an owner.
import type { AccountsPlan } from "../core/accounts-file/plan-accounts.ts";
import type { ExistingOrganization } from "../core/accounts-file/account-change.ts";
import { type CallIn, readPages } from "./accounts-file.ts";
import { TOKENS } from "./tokens.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What a removed member leaves in an organization. */
interface LeftValid {
  readonly organization: string;
  readonly email: string;
  readonly tokens: readonly Named[];
  readonly keys: readonly Named[];
}

/** Finds what the removed members of a plan leave; members who leave nothing are not in the result. */
export async function findLeftValid(
  callIn: CallIn,
  { plan: { changes }, present }: { plan: Pick<AccountsPlan, "changes">; present: readonly ExistingOrganization[] },
  nowSeconds: number,
): Promise<readonly LeftValid[]> {
  // A change has the name that its organization is given.
  const names = new Map(changes.filter(({ object }) => object === "organization").map(({ id, name }) => [id, name]));
  const organizations = new Map(present.map((one) => [names.get(one.id) ?? one.values.name, one]));
  const removed = changes.filter(({ action }) => action === "remove");
  const left: LeftValid[] = [];
  for (const { object, organization, name: email, id } of removed) {
    const there = organizations.get(organization);
    if (object !== "member" || there === undefined || id === null) continue;
    // oxlint-disable-next-line no-await-in-loop -- one after the other: a service is working on the same store
    const made = await readPages(callIn(there.id), TOKENS.operations.listTokens, { created_by: id });
    const tokens = made.filter(
      ({ revoked_at: revokedAt, expires_at: expiresAt }) =>
        revokedAt === null && (expiresAt === null || expiresAt > nowSeconds),
    );
    const keys = there.keys.filter((key) => key.member === email && !removed.some((one) => one.id === key.id));
    if (tokens.length + keys.length > 0) left.push({ organization, email, tokens, keys });
  }
  return left;
}

/** Such as `Acme: token "ops" (tok_1) of ada@acme.test stays valid …`. */
export function describeLeftValid({ organization, email, tokens, keys }: LeftValid): string {
  const named = (noun: string, all: readonly Named[]) =>
    all.map(({ id, name }) => `${noun} ${JSON.stringify(name)} (${id})`);
  const all = [...named("token", tokens), ...named("key", keys)].join(", ");
  return `${organization}: what ${email} leaves stays valid: ${all}. \`tokens revoke\` and \`keys revoke\` end it.`;
}
