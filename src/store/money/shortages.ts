// Events of turns that were rejected or stopped for lack of money.
import { billingDayOf, firstDayOf, formatDay } from "../../core/money/billing-day.ts";
import { describeBudget } from "../../core/money/budgets.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import type { Shortage } from "../../ports/store/funds.ts";
import { plainOperation } from "../engine/operation.ts";
import type { Steps } from "../engine/transaction.ts";
import { findBalance } from "./balances.ts";
import { emit } from "../events/feed.ts";

/** EventStore.reportShortage. */
export const reportShortage = plainOperation(
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
    const target = describeBudget({ scope, id, period });
    const periodFrom = firstDayOf(period, billingDayOf(atMs));
    emit(
      {
        organizationId,
        atMs,
        type: "budget.rejected",
        target,
        ...((scope === "key" || scope === "member") && id !== null ? { about: { kind: scope, id } } : {}),
        data: {
          scope,
          id,
          period,
          period_from: period === "total" ? null : formatDay(periodFrom),
          limit: creditsAsNumber(limitNano),
          spent: creditsAsNumber(spentNano),
          held,
          needed,
        },
        once: `budget rejected ${organizationId} ${target} ${periodFrom} ${limitNano}`,
      },
      tx,
    );
  },
);
