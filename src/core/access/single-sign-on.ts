// Single sign-on: reads what a provider says about a person, and applies the rules of turngate.yaml. docs/app.md
import type { ManageRole, MemberRole } from "../../contract/manage/roles.ts";
import { emailOf } from "./account-fields.ts";

/** Groups of a person that are read; further ones are ignored. */
const GROUPS_MAX = 1000;

/** A role for the people of a group; without a group, for everyone whom the provider signs in. */
export type SignInRule =
  | { readonly role: "operator"; readonly group: string | null }
  /** The organization is named by id or name. With `{name}` in both, `isPattern`, the rule is one for each such group. */
  | {
      readonly role: MemberRole;
      readonly group: string | null;
      readonly organization: string;
      readonly isPattern?: true;
    };

/** Stands for a part of a group's name, and for the same text in the name of the organization. */
export const NAME_PART = "{name}";

/** The claims that a person's e-mail address and groups are read from, by name or by a path with dots. */
export interface ClaimNames {
  readonly email: string;
  readonly groups: string;
}

/** The settings that decide who signs in, and as what. */
export interface SignInPolicy {
  /** The provider's name, for people. */
  readonly name: string;
  readonly issuer: string;
  readonly claims: ClaimNames;
  /** Whether an e-mail address counts without the claim `email_verified`. */
  readonly trustsEmail: boolean;
  /** Whether a first sign-in adds a member. */
  readonly addsMembers: boolean;
  /** Whether it is the only way in, but for the links of owners and operators. */
  readonly isOnlyWay: boolean;
  readonly rules: readonly SignInRule[];
}

/** A person as the provider describes them. */
export interface SignInIdentity {
  /** The provider's id of the person, which never changes; null if it is none that the standard allows. */
  readonly subject: string | null;
  /** In lower case; null if there is none, or none that can be an address. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
}

/** Reads the claims of an ID token, which has been checked. */
export function readIdentity(claims: Readonly<Record<string, unknown>>, names: ClaimNames): SignInIdentity {
  const { sub, email_verified: verified } = claims;
  const email = claimAt(claims, names.email);
  return {
    // OpenID Connect Core, section 2: at most 255 ASCII characters.
    subject: typeof sub === "string" && /^[ -~]{1,255}$/.test(sub) ? sub : null,
    email: typeof email === "string" ? emailOf(email) : null,
    // Some providers send it as a text.
    isEmailVerified: verified === true || verified === "true",
    groups: readTexts(claimAt(claims, names.groups)),
  };
}

/** Whether the claims that the names refer to are all there; otherwise the provider may tell more when asked. */
export function hasClaims(claims: Readonly<Record<string, unknown>>, names: ClaimNames): boolean {
  return claimAt(claims, names.email) !== undefined && claimAt(claims, names.groups) !== undefined;
}

/**
 * The rules that fit somebody with these groups, in their order. A pattern is filled in with each group that has its
 * form, in the order of their names: that of the provider may change.
 */
export function fittingRules(rules: readonly SignInRule[], groups: readonly string[]): readonly SignInRule[] {
  const own = new Set(groups);
  const inOrder = [...own].toSorted();
  return rules.flatMap((rule) => {
    if (rule.role !== "operator" && rule.isPattern) return inOrder.flatMap((group) => fillIn(rule, group));
    return rule.group === null || own.has(rule.group) ? [rule] : [];
  });
}

/** A pattern for one group; empty if the group has another form. */
function fillIn<Rule extends SignInRule & { readonly organization: string }>(
  rule: Rule,
  group: string,
): readonly Rule[] {
  const [before = "", after = ""] = (rule.group ?? "").split(NAME_PART);
  const name = group.slice(before.length, group.length - after.length);
  if (name === "" || group !== before + name + after) return [];
  return [{ ...rule, group, organization: rule.organization.replace(NAME_PART, () => name) }];
}

/** Whether a role may still sign in by a sign-in link where single sign-on is the only other way. */
export function isEmergencyRole(role: ManageRole): boolean {
  return role === "owner" || role === "operator";
}

/** A claim by its name; if there is none of that name, by the path that its dots make (`realm_access.roles`). */
function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** A list of texts, or a single one. */
function readTexts(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, GROUPS_MAX) : [value];
  return list.filter((entry) => typeof entry === "string");
}
