// What the section `single_sign_on` of turngate.yaml means. docs/app.md (Single sign-on)
import { NAME_PART, type SignInPolicy, type SignInRule } from "../core/access/single-sign-on.ts";
import type { ReadConfigFile } from "./config-file.ts";
import { isSafe } from "../../packages/kit/addresses.ts";
import { type RuleEntry, SINGLE_SIGN_ON_DEFAULTS } from "./single-sign-on-schema.ts";

export interface SingleSignOnConfig {
  readonly policy: SignInPolicy;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
}

/** Reads the section; null without one. Throws an OperatorError for what the shape cannot express. */
export function readSingleSignOn(file: ReadConfigFile): SingleSignOnConfig | null {
  if (file.config.single_sign_on === undefined) return null;
  const section = { ...SINGLE_SIGN_ON_DEFAULTS, ...file.config.single_sign_on };
  const faultAt = (key: string | number, predicate: string) => file.faultAt(["single_sign_on", key], predicate);
  const issuer = URL.parse(section.issuer);
  if (issuer === null || issuer.username !== "" || issuer.password !== "" || !isSafe(issuer)) {
    throw faultAt(
      "issuer",
      "is not allowed: it must be an https:// address without user and password (http:// on this machine).",
    );
  }
  if (issuer.pathname.includes("/.well-known/")) {
    throw faultAt("issuer", "is the address of the discovery document: leave out /.well-known/ and what follows.");
  }
  const rules = section.rules.map((rule, at) =>
    readRule(rule, (predicate) => file.faultAt(["single_sign_on", "rules", at], predicate)),
  );
  return {
    clientId: section.client_id,
    clientSecret: section.client_secret ?? null,
    scopes: [...new Set(["openid", ...section.scopes])],
    policy: {
      name: section.name ?? issuer.host,
      issuer: section.issuer,
      claims: { email: section.email_claim, groups: section.groups_claim },
      trustsEmail: section.trust_email,
      addsMembers: section.add_members,
      isOnlyWay: section.only,
      rules,
    },
  };
}

function readRule(entry: RuleEntry, errorOf: (predicate: string) => Error): SignInRule {
  const { role, organization } = entry;
  const group = entry.group ?? null;
  if (role === "operator") {
    if (organization !== undefined) throw errorOf("has an organization: an operator belongs to none.");
    // Otherwise everybody at the provider would manage the whole service.
    if (group === null) throw errorOf("lacks group: the role operator is for a group only.");
    if (group.includes(NAME_PART)) throw errorOf(`has ${NAME_PART} in its group: an operator belongs to none.`);
    return { role, group };
  }
  if (organization === undefined) throw errorOf(`lacks organization: the role ${role} is one of an organization.`);
  if (!group?.includes(NAME_PART) && !organization.includes(NAME_PART)) return { role, group, organization };
  if (countParts(group ?? "") !== 1 || countParts(organization) !== 1) {
    throw errorOf(`has ${NAME_PART} in one place: it must be once in the group and once in the organization.`);
  }
  return { role, group, organization, isPattern: true };
}

function countParts(text: string): number {
  return text.split(NAME_PART).length - 1;
}
