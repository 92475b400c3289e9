// JSON of rejected requests, for the command line and the management interface.
import { creditsAsNumber } from "../../core/money/credits.ts";
import { REJECTION_RULES } from "../../core/access/rejection.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { KeyStanding } from "../../ports/store/money.ts";
import type { KeptRejection } from "../../ports/store/rejections.ts";
import { presentLimits } from "../access/limits-in-force.ts";
import { presentKeyBudget } from "./present-spending.ts";

/** A rejection as it is listed. */
export function presentRejection(rejection: KeptRejection) {
  const { id, requestId, atMs, keyId, keyName, operation, status, code, param, message, skipped } = rejection;
  const at = secondsOf(atMs);
  return {
    id,
    request_id: requestId,
    at,
    key: keyId,
    key_name: keyName,
    operation,
    status,
    code,
    param,
    message,
    skipped,
  };
}

/** A rejection with its rule, what would let the request through, and how things stand now. */
export function explainRejection(
  rejection: KeptRejection,
  {
    organization,
    standing,
    limits,
  }: {
    readonly organization: Organization;
    /** Null: the key is revoked. */
    readonly standing: KeyStanding | null;
    readonly limits: Parameters<typeof presentLimits>[0];
  },
) {
  const { rule, liftedBy } = REJECTION_RULES[rejection.code];
  const { plan, paymentMethod, suspended, creditsNano, heldNano } = organization;
  return {
    ...presentRejection(rejection),
    rule,
    lifted_by: [...liftedBy],
    now: {
      suspended,
      plan,
      payment_method: paymentMethod,
      credits: creditsAsNumber(creditsNano),
      held: creditsAsNumber(heldNano),
      budgets: (standing?.budgets ?? []).map(presentKeyBudget),
      limits: presentLimits(limits, organization),
    },
  };
}
