// Signing in at the provider of single sign-on. The browser keeps what the end of a sign-in needs, sealed, so that any
// node can finish what another has begun. docs/decisions/single-sign-on.md
import Type from "typebox";
import { ApiError, invalidInput } from "../contract/errors.ts";
import { CALLBACK_CHARACTERS_MAX, SINGLE_SIGN_ON_MINUTES } from "../contract/manage/limits.ts";
import type { MemberRole } from "../contract/manage/roles.ts";
import { orNull } from "../contract/shapes.ts";
import {
  fittingRules,
  readIdentity,
  type SignInIdentity,
  type SignInPolicy,
  type SignInRule,
} from "../core/access/single-sign-on.ts";
import { assertNotCrossSite } from "../flows/manage/same-origin.ts";
import { type ManageRequest, type ManageServices, originOf, type SingleSignOn } from "../flows/manage/services.ts";
import { nowSeconds } from "../ports/clock.ts";
import { type KeptSignIn, type SignInFailure, SingleSignOnError } from "../ports/single-sign-on.ts";
import type { Actor } from "../ports/store/audit.ts";
import type { IdentityStart } from "../ports/store/management.ts";
import { text } from "./fields.ts";
import type { PublicContext } from "./definition/context.ts";
import { publicOperation } from "./definition/operation.ts";
import { Session, startSession } from "./session.ts";

/** The page of the app that the provider sends the browser to; it is registered at the provider. */
const CALLBACK_PATH = "/sign-in/callback";
/** The actor of what the provider's claims change. */
const PROVIDER: Actor = { kind: "service", id: "single sign-on" };

/** A begun sign-in as the browser keeps it. */
interface Kept extends KeptSignIn {
  readonly organization: string | null;
  readonly expiresAtMs: number;
}

export const showSignIn = publicOperation({
  route: "GET /sign-in",
  summary: "Show the ways to sign in",
  output: {
    SignInWays: Type.Object({
      passwords: Type.Boolean({ description: "whether passwords sign in" }),
      single_sign_on: orNull(Type.Object({ name: Type.String({ description: "the name of the provider" }) })),
    }),
  },
  async run({ services: { singleSignOn } }) {
    return {
      passwords: singleSignOn?.policy.isOnlyWay !== true,
      single_sign_on: singleSignOn === null ? null : { name: singleSignOn.policy.name },
    };
  },
});

/** Throws 400 `invalid_input` without single sign-on and if the provider does not answer. */
export const beginSingleSignOn = publicOperation({
  route: "POST /single-sign-on",
  summary: "Start single sign-on",
  description:
    "Sets a cookie that `finishSingleSignOn` needs, for 10 minutes. The provider sends the browser back to `/sign-in/callback`.",
  input: {
    organization: Type.Optional(
      text("the organization, by id or name, of a person who may sign in to several; default: that of the first rule"),
    ),
  },
  body: { isOptional: true },
  output: {
    BegunSignIn: Type.Object({
      url: Type.String({ description: "the provider's page, where the browser goes" }),
    }),
  },
  async run({ services, request, setCookies }, { organization = null }) {
    const ownOrigin = originOf(services, request);
    assertNotCrossSite(request, ownOrigin);
    const { provider } = requireSingleSignOn(services);
    const { url, kept } = await explain(services, () => provider.begin(`${ownOrigin}${CALLBACK_PATH}`));
    const expiresAtMs = services.clock.nowMs() + SINGLE_SIGN_ON_MINUTES * 60_000;
    const whole: Kept = { ...kept, organization, expiresAtMs };
    setCookies({ keptSignIn: services.managementSecrets.seal(JSON.stringify(whole)) });
    return { url };
  },
});

/**
 * The session has the role that the first fitting rule gives. Throws 400 `invalid_input` for what the browser or the
 * provider sent, and 403 `access_denied` for a person whom no rule lets in. Whatever comes of it, roles and sessions of
 * the person follow the rules: a session that no rule gives any more ends.
 */
export const finishSingleSignOn = publicOperation({
  route: "POST /single-sign-on/finish",
  summary: "Finish single sign-on",
  description: "Sets the session cookie. The person gets the role that the rules of `turngate.yaml` give.",
  input: {
    query: text("the query, without `?`, with which the provider sent the browser back", CALLBACK_CHARACTERS_MAX),
  },
  output: { Session },
  async run(context, { query }) {
    const { services, request } = context;
    assertNotCrossSite(request, originOf(services, request));
    const { provider, policy } = requireSingleSignOn(services);
    const kept = openKept(services, request);
    // Each attempt costs a request to the provider.
    await services.attempts.draw(request.address, null);
    const claims = await explain(services, () => provider.finish(query, kept));
    const person = readIdentity(claims, policy.claims);
    const { subject } = person;
    if (subject === null) throw failed("invalid", policy);
    const identity = { issuer: policy.issuer, subject };
    const places = await findPlaces(services, policy, person);
    await services.store.followProvider({ by: PROVIDER, identity, places });
    const place = choosePlace(places, kept.organization);
    if (place === null) {
      const where = places.length === 0 ? "here" : "to that organization";
      const why = `Your groups at ${policy.name} give you no access ${where}. Ask an operator.`;
      throw new ApiError("access_denied", why);
    }
    const email = readEmail(person, policy);
    const started =
      place.role === "operator"
        ? await startSession(context, (session) =>
            services.store.startOperatorSession({ name: email, identity, session }),
          )
        : await startAsMember(context, policy, {
            role: place.role,
            organizationId: place.organizationId,
            email,
            identity,
          });
    if (started === null) throw failed("invalid", policy);
    context.setCookies({ keptSignIn: null });
    return started;
  },
});

function requireSingleSignOn({ singleSignOn }: ManageServices): SingleSignOn {
  if (singleSignOn === null) throw invalidInput(null, "Single sign-on is not set up on this service.");
  return singleSignOn;
}

/** Throws 400 if the browser keeps nothing that we sealed, or something too old. */
function openKept({ managementSecrets, clock }: ManageServices, { keptSignIn }: ManageRequest): Kept {
  const opened = keptSignIn === null ? null : managementSecrets.open(keptSignIn);
  // We sealed it, so it has this shape.
  const kept = opened === null ? null : (JSON.parse(opened) as Kept);
  if (kept !== null && clock.nowMs() < kept.expiresAtMs) return kept;
  throw invalidInput(null, WORDS.expired(""));
}

type Place =
  | { readonly role: "operator" }
  | { readonly role: MemberRole; readonly organizationId: string; readonly organizationName: string };

/** Where the rules let a person in: of the rules that fit, the first of each organization and of the service counts. */
async function findPlaces(
  { store, log }: ManageServices,
  { rules }: SignInPolicy,
  { groups }: SignInIdentity,
): Promise<readonly Place[]> {
  const places = new Map<string | null, Place>();
  const fitting = fittingRules(rules, groups);
  const isPattern = (rule: SignInRule) => rule.role !== "operator" && rule.isPattern === true;
  // One read, however many groups a person has. What a group is called is a name, never an id.
  const named = fitting.some(isPattern) ? Map.groupBy(await store.listOrganizations(), ({ name }) => name) : null;
  for (const rule of fitting) {
    if (rule.role === "operator") {
      if (!places.has(null)) places.set(null, { role: rule.role });
      continue;
    }
    const organization = isPattern(rule)
      ? (named?.get(rule.organization)?.[0] ?? null)
      : await store.findOrganization({ idOrName: rule.organization });
    // Not every group of a pattern is an organization here.
    if (organization === null && isPattern(rule)) continue;
    if (organization === null) log.warn("manage.sso_unknown_organization", { organization: rule.organization });
    else if (!places.has(organization.id)) {
      const { id: organizationId, name: organizationName } = organization;
      places.set(organizationId, { role: rule.role, organizationId, organizationName });
    }
  }
  return [...places.values()];
}

/** The first place, or that of the named organization; null if there is none. */
function choosePlace(places: readonly Place[], named: string | null): Place | null {
  const isNamed = (place: Place) =>
    place.role !== "operator" && (place.organizationId === named || place.organizationName === named);
  return (named === null ? places[0] : places.find(isNamed)) ?? null;
}

/** The address of a person. Throws 403 without one, and for one that the provider has not verified. */
function readEmail({ email, isEmailVerified }: SignInIdentity, { name, trustsEmail }: SignInPolicy): string {
  if (email === null)
    throw new ApiError(
      "access_denied",
      `${name} sent no e-mail address for you that can be used here. Ask an operator.`,
    );
  if (isEmailVerified || trustsEmail) return email;
  throw new ApiError("access_denied", `${name} has not verified your e-mail address. Verify it there and try again.`);
}

type MemberStart = Pick<IdentityStart, "organizationId" | "role" | "email" | "identity">;

/** Throws 403 if the person is no member and may not become one, or if the address is another person's. */
function startAsMember(context: PublicContext, { name, addsMembers }: SignInPolicy, start: MemberStart) {
  const { store, mintAccountId, clock } = context.services;
  return startSession(context, async (session) => {
    const outcome = await store.startSessionByIdentity({
      by: PROVIDER,
      ...start,
      session,
      mayAdd: addsMembers,
      newMemberId: mintAccountId("member"),
      createdAt: nowSeconds(clock),
    });
    if (outcome.kind === "started") return outcome.session;
    const { email } = start;
    const why: Readonly<Record<typeof outcome.kind, string>> = {
      not_a_member: `${email} is not a member here yet. Ask an owner or admin to add you.`,
      taken: `The member ${email} belongs to another person at ${name}. Ask an owner or admin to remove that member.`,
    };
    throw new ApiError("access_denied", why[outcome.kind]);
  });
}

/** Turns the provider's failures into errors in plain words, and logs what happened. */
async function explain<T>(services: ManageServices, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SingleSignOnError)) throw error;
    services.log.warn("manage.sso_failed", { failure: error.failure }, error);
    throw failed(error.failure, requireSingleSignOn(services).policy);
  }
}

const WORDS: Readonly<Record<SignInFailure, (name: string) => string>> = {
  unavailable: (name) => `${name} does not answer properly. Try again in a while, or use a sign-in link.`,
  cancelled: (name) => `${name} says that you did not agree to sign in. Begin again to try once more.`,
  refused: (name) => `${name} refused the sign-in. If it happens again, tell an operator.`,
  expired: () => "The sign-in took too long, or was begun in another window or browser. Begin again.",
  misconfigured: (name) => `${name} does not accept this service. An operator has to check its client id and secret.`,
  invalid: (name) => `${name} sent an answer that cannot be trusted. If it happens again, tell an operator.`,
};

function failed(failure: SignInFailure, { name }: SignInPolicy): ApiError {
  return invalidInput(null, WORDS[failure](name));
}
