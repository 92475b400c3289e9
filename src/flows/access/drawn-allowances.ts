// What a request draws from the allowances of its key and of its organization: one request of its class, and a response
// also the tokens that it is likely to need. When it has ended, the tokens that it used count. @spec limits; docs/wire.md (Rates)
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import type { AllowanceClass, Route } from "../../contract/routes.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Services } from "../../ports/services.ts";
import type { FoundKey, Organization } from "../../ports/store/accounts.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { KeyLimits } from "../../ports/store/limits.ts";
import type { Capacity } from "../gateway.ts";
import { FIRST_SLICE_TOKENS } from "../money/first-hold.ts";
import type { RequestContext } from "../request-context.ts";
import type { DrawnTokens } from "../run/running-response.ts";
import { OWN_LIMIT, perMinuteOf } from "./limits-in-force.ts";

export type AllowanceNeeds = Pick<Services, "limits"> & Pick<Capacity, "allowances">;
type TokenNeeds = Pick<Services, "log"> & Pick<Capacity, "allowances">;

/** A key or an organization, and how much it may draw a minute. */
interface CountedOwner<PerMinute = number> {
  readonly ownerId: string;
  readonly whose: string;
  readonly perMinute: PerMinute;
}

/** For an error that precedes the allowance: draws nothing, but reports what is left. */
export function reportAllowance(
  { limits, allowances }: AllowanceNeeds,
  context: Pick<RequestContext, "allowance">,
  { allowance }: Pick<Route, "allowance">,
  found: Pick<FoundKey, "key" | "organization">,
): void {
  if (allowance === null) return;
  for (const { ownerId, perMinute } of countedOwners(limits, found, allowance)) {
    noteAllowance(context, { limit: perMinute, ...allowances.look(ownerId, allowance, perMinute) });
  }
}

/**
 * Draws a request of a class from the allowance of its key, if it has one, and from its organization's; notes on the
 * context the one that has the least left. Throws 429 `rate_limit_exceeded`.
 */
export async function drawRequest(
  { limits, allowances }: AllowanceNeeds,
  context: Pick<RequestContext, "allowance">,
  { allowance }: Pick<Route, "allowance">,
  found: Pick<FoundKey, "key" | "organization">,
): Promise<void> {
  if (allowance === null) return;
  for (const { ownerId, whose, perMinute } of countedOwners(limits, found, allowance)) {
    // oxlint-disable-next-line no-await-in-loop -- the second is not drawn when the first is used up
    const { isGranted, remaining, resetMs, retryAfterMs } = await allowances.draw(ownerId, allowance, perMinute);
    noteAllowance(context, { limit: perMinute, remaining, resetMs });
    if (!isGranted) {
      throw rateLimitError(`${whose} may send ${perMinute} ${allowance} requests a minute.`, retryAfterMs);
    }
  }
}

/** The key, if it has a limit, before the organization, so that what a key may not send costs the others nothing. */
function countedOwners(
  limits: AllowanceNeeds["limits"],
  { key, organization }: Pick<FoundKey, "key" | "organization">,
  of: AllowanceClass,
): CountedOwner[] {
  const perMinute = perMinuteOf(limits, organization, of);
  const ofKey = key.limits[OWN_LIMIT[of]];
  return [
    ...(ofKey === null ? [] : [{ ownerId: key.id, whose: "This API key", perMinute: ofKey }]),
    { ownerId: organization.id, whose: "Your organization", perMinute },
  ];
}

/** The reply reports the allowance that has the least left. */
function noteAllowance(
  context: Pick<RequestContext, "allowance">,
  allowance: NonNullable<RequestContext["allowance"]>,
): void {
  if (context.allowance === null || allowance.remaining <= context.allowance.remaining) context.allowance = allowance;
}

/** Whose tokens a response draws. */
interface TokenOwners {
  readonly caller: Caller;
  readonly organization: Organization;
  readonly keyLimits: KeyLimits;
}

/**
 * Draws the estimated tokens of a response: those of its prompt and of its first output. Null when neither key nor
 * organization has a limit. Throws 429 `rate_limit_exceeded`; rejects with a StoreError when the store that counts for
 * all nodes is out of reach.
 */
export async function drawTokens(
  services: TokenNeeds,
  { caller, organization, keyLimits }: TokenOwners,
  plan: Plan,
): Promise<DrawnTokens | null> {
  const ofKey = keyLimits.tokensPerMinute;
  const ofOrganization = organization.limits.tokensPerMinute;
  if (ofKey === null && ofOrganization === null) return null;
  const tokens = estimateTokens(plan.promptCharacters) + Math.min(FIRST_SLICE_TOKENS, plan.prompt.maxOutputTokens);
  const key = await drawFrom(services, { ownerId: caller.keyId, whose: "This API key", perMinute: ofKey }, tokens);
  try {
    const whole = { ownerId: caller.organizationId, whose: "Your organization", perMinute: ofOrganization };
    const all = await drawFrom(services, whole, tokens);
    return {
      async settle(used) {
        await Promise.all([key.settle(used), all.settle(used)]);
      },
    };
  } catch (error) {
    await key.settle(0);
    throw error;
  }
}

async function drawFrom(
  { allowances, log }: TokenNeeds,
  { ownerId, whose, perMinute }: CountedOwner<number | null>,
  tokens: number,
): Promise<DrawnTokens> {
  if (perMinute === null) return { settle: async () => {} };
  const { isGranted, retryAfterMs } = await allowances.drawTokens(ownerId, perMinute, tokens);
  if (!isGranted) {
    const needs = `and this request needs about ${tokens}`;
    throw rateLimitError(`${whose} may use ${perMinute} tokens a minute, ${needs}.`, retryAfterMs);
  }
  return {
    async settle(used) {
      if (used === tokens) return;
      try {
        await allowances.returnTokens(ownerId, perMinute, tokens - used);
      } catch (error) {
        log.warn("tokens.not_counted", { owner: ownerId, drawn: tokens, used }, error);
      }
    },
  };
}

function rateLimitError(message: string, retryAfterMs: number): ApiError {
  return new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) });
}
