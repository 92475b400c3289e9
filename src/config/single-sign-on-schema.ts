// The shape of the section `single_sign_on` of turngate.yaml.
import Type, { type Static } from "typebox";
import { MANAGE_ROLES } from "../contract/manage/roles.ts";
import { flag, section, text } from "../../packages/kit/schema-fields.ts";

const RULES_MAX = 200;

export const SINGLE_SIGN_ON_DEFAULTS = {
  scopes: ["openid", "email", "profile"],
  email_claim: "email",
  groups_claim: "groups",
  trust_email: false,
  add_members: true,
  only: false,
};

const Rule = section("a rule", {
  role: Type.Enum([...MANAGE_ROLES], { description: `one of ${MANAGE_ROLES.join(", ")}` }),
  organization: text(
    "the organization, by id or name, not for the role operator; {name} is the text that it is in the group",
  ),
  group: text(
    "a group at the provider, such as team-{name}-admins for all groups of that form; without one the rule fits everyone",
  ),
});

export const SingleSignOnSection = section("a provider of single sign-on (OpenID Connect)", {
  issuer: Type.String({
    pattern: "^https?://[^\\s?#]+$",
    description: "the provider's issuer, an https:// address (http:// on this machine)",
  }),
  client_id: Type.String({ minLength: 1, description: "the client id that is registered at the provider" }),
  client_secret: text("the secret of the client; ${NAME} inserts an environment variable or the file of NAME_FILE"),
  name: text("the provider's name on the sign-in page; the host of the issuer by default"),
  scopes: Type.Optional(
    Type.Array(Type.String({ pattern: "^[!#-\\[\\]-~]+$", description: "a scope" }), {
      description: "the list of scopes that are asked for",
    }),
  ),
  email_claim: text("the claim with the e-mail address, email by default"),
  groups_claim: text("the claim with the groups, groups by default; dots name nested claims"),
  trust_email: flag("addresses count without email_verified, for providers that do not send it"),
  add_members: flag("a first sign-in adds the person to the organization"),
  only: flag("no passwords, and sign-in links for owners and operators only"),
  rules: Type.Array(Rule, {
    minItems: 1,
    maxItems: RULES_MAX,
    description: `a list of 1 to ${RULES_MAX} rules; the first that fits decides where a person signs in, and as what`,
  }),
});

export type RuleEntry = Static<typeof Rule>;
