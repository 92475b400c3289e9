// Compares the members of the file with the existing ones.
import type { MemberEntry } from "../../contract/manage/accounts-file.ts";
import { readEmail } from "../access/account-fields.ts";
import { AccountsFileFault, type MemberChange, type PlannedOrganization } from "./account-change.ts";
import { readAt } from "./read-at.ts";

export interface MembersPlan {
  /** Additions, then new roles. Owners come first: there must be one at any time. */
  readonly changes: readonly MemberChange[];
  /** Removals of the members that the file does not list; none when it has no list. */
  readonly removals: readonly MemberChange[];
  /** The e-mail addresses of the members after the changes. */
  readonly remaining: ReadonlySet<string>;
}

/**
 * Plans the members of an organization. Throws an AccountsFileFault for a wrong or repeated address, and when no owner
 * would remain.
 */
export function planMembers({ organization, entry, at: of, present, prune }: PlannedOrganization): MembersPlan {
  const { members: entries } = entry;
  const existing = present?.members ?? [];
  if (entries === undefined) {
    return { changes: [], removals: [], remaining: new Set(existing.map(({ email }) => email)) };
  }
  const place = [...of, "members"];
  const byEmail = new Map(existing.map((member) => [member.email, member]));
  const roles = new Map<string, MemberEntry["role"]>();
  const changes: MemberChange[] = [];
  for (const [index, { email: text, role }] of entries.entries()) {
    const at = [...place, index, "email"];
    const email = readAt(at, () => readEmail(text));
    if (roles.has(email)) throw new AccountsFileFault(at, `is ${email}, who is listed before.`);
    roles.set(email, role);
    const member = byEmail.get(email);
    if (member?.role === role) continue;
    const before = member === undefined ? null : { role: member.role };
    const action = member === undefined ? "create" : "change";
    changes.push({
      object: "member",
      action,
      organization,
      id: member?.id ?? null,
      name: email,
      before,
      after: { role },
    });
  }
  const unlisted = existing.filter(({ email }) => !roles.has(email));
  const kept = prune ? [] : unlisted;
  const hadOwner = existing.some(({ role }) => role === "owner");
  const hasOwner = [...roles.values(), ...kept.map(({ role }) => role)].includes("owner");
  if (hadOwner && !hasOwner) throw new AccountsFileFault(place, "leave the organization without an owner; list one.");
  const remaining = new Set([...roles.keys(), ...kept.map(({ email }) => email)]);
  const removals = unlisted.map(({ id, email: name, role }): MemberChange => {
    return { object: "member", action: "remove", organization, id, name, before: { role }, after: null };
  });
  return { changes: changes.toSorted((one, other) => rank(one) - rank(other)), removals, remaining };
}

function rank({ after }: MemberChange): number {
  return after?.role === "owner" ? 0 : 1;
}
