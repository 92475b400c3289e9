// Events of turns that were rejected or stopped for lack of money.
import { billingDayOf, firstDayOf } from "../../core/money/billing-day.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import type { Shortage } from "../../ports/store/funds.ts";
import { plainProcedure } from "../engine/procedure.ts";
import type { Steps } from "../engine/transaction.ts";
import { findBalance } from "./balances.ts";
import { emit } from "../events/feed.ts";
import { describePeriod } from "../events/spending.ts";

/** EventStore.reportShortage. */
export const reportShortage = plainProcedure(
  "write",
  function* (tx, report: { organizationId: string; shortage: Shortage }, atMs): Steps<void> {
    const { organizationId, shortage } = report;
    const held = creditsAsNumber(shortage.heldNano);
    const needed = creditsAsNumber(shortage.neededNano);
    if (shortage.kind === "credits") {
      // The sum of the top-ups tells one from the next.
      const { read } = yield* findBalance(tx, organizationId);
      const data = { credits: creditsAsNumber(shortage.creditsNano), held, needed };
      const once = `credits rejected ${organizationId} ${read.topups}`;
      emit({ organizationId, atMs, type: "credits.rejected", target: null, data, once }, tx);
      return;
    }
    const { scope, id, period, limitNano, spentNano } = shortage;
    const periodFrom = firstDayOf(period, billingDayOf(atMs));
    const { data, ...described } = describePeriod({ scope, id, period }, periodFrom);
    emit(
      {
        organizationId,
        atMs,
        type: "budget.rejected",
        ...described,
        data: { ...data, limit: creditsAsNumber(limitNano), spent: creditsAsNumber(spentNano), held, needed },
        once: `budget rejected ${organizationId} ${described.target} ${periodFrom} ${limitNano}`,
      },
      tx,
    );
  },
);
