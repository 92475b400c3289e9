// The tokens a minute of an organization and of a key: a response draws what it is likely to need when it begins, and
// when it has ended what it used counts. docs/wire.md (Rates)
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import { FIRST_SLICE_TOKENS } from "../money/first-hold.ts";
import type { DrawnTokens } from "../run/running-response.ts";
import type { Admitted } from "./admit.ts";

type DrawNeeds = Pick<Services, "log"> & Pick<Capacity, "allowances">;

/**
 * Draws the estimated tokens of a response: those of its prompt and of its first output. Null when neither key nor
 * organization has a limit. Throws 429 `rate_limit_exceeded`; rejects with a StoreError when the store that counts for
 * all nodes is out of reach.
 */
export async function drawTokens(services: DrawNeeds, admitted: Admitted, plan: Plan): Promise<DrawnTokens | null> {
  const { caller, organization, keyLimits } = admitted;
  const ofKey = keyLimits.tokensPerMinute;
  const ofOrganization = organization.limits.tokensPerMinute;
  if (ofKey === null && ofOrganization === null) return null;
  const tokens = estimateTokens(plan.promptCharacters) + Math.min(FIRST_SLICE_TOKENS, plan.prompt.maxOutputTokens);
  const key = await draw(services, { id: caller.keyId, whose: "This API key", perMinute: ofKey }, tokens);
  try {
    const whole = { id: caller.organizationId, whose: "Your organization", perMinute: ofOrganization };
    const all = await draw(services, whole, tokens);
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

interface Owner {
  readonly id: string;
  readonly whose: string;
  readonly perMinute: number | null;
}

async function draw({ allowances, log }: DrawNeeds, { id, whose, perMinute }: Owner, tokens: number) {
  if (perMinute === null) return { settle: async () => {} };
  const { isGranted, retryAfterMs } = await allowances.drawTokens(id, perMinute, tokens);
  if (!isGranted) {
    throw new ApiError(
      "rate_limit_exceeded",
      `${whose} may use ${perMinute} tokens a minute, and this request needs about ${tokens}.`,
      { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) },
    );
  }
  return {
    async settle(used: number) {
      if (used === tokens) return;
      try {
        await allowances.returnTokens(id, perMinute, tokens - used);
      } catch (error) {
        log.warn("tokens.not_counted", { owner: id, drawn: tokens, used }, error);
      }
    },
  };
}
