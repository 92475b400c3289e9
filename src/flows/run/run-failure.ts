// Why a run failed: what ends a response other than its model and its client.
import type { CatalogModel } from "../../core/models/catalog.ts";
import { PIECES_MAX, TooManyPieces } from "../../core/response/output-builder.ts";
import type { CallsDeleted } from "../../core/response/plan.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { StartDenial } from "../../ports/store/responses.ts";
import { SpendingStop } from "../money/spending-stop.ts";

/** Why a run did not end as its model would have ended it. */
export type RunFailure = UpstreamError | SpendingStop | StartDenied | CallsDeleted | OwnFault;

/** Why a queued response does not run: what let it begin is gone. docs/wire.md (Queue) */
export class StartDenied extends Error {
  override readonly name = "StartDenied";

  constructor(outcome: StartDenial) {
    super(`The turn was queued and did not run: ${DENIALS[outcome]}`);
  }
}

const DENIALS: Readonly<Record<StartDenial, string>> = {
  revoked: "its API key was revoked.",
  suspended: "your organization is suspended.",
  no_payment_method: "your organization has no payment method on file.",
  no_plan: "your organization has no active plan.",
};

/** A fault of our own: what was thrown where nothing should be. */
export class OwnFault {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** What was caught during the run of a model, as the run's failure. */
export function runFailureOf(error: unknown, { provider }: Pick<CatalogModel, "provider">): RunFailure {
  if (error instanceof UpstreamError || error instanceof SpendingStop) return error;
  if (!(error instanceof TooManyPieces)) return new OwnFault(error);
  const message = `The provider's output has more than ${PIECES_MAX} items, parts and annotations.`;
  return new UpstreamError({ code: "provider_error", message, provider, certainlyNotRun: false });
}
