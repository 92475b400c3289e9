// Amounts of money: credits, with their dollars beside them.
import { createContext, useCallback, useContext } from "react";
import { formatCredits, formatDollars, formatExactCredits } from "./format.ts";

/** The value of a credit in USD, as the service says; null: not known, and no dollars are shown. */
export const UsdPerCredit = createContext<number | null>(null);

/** The same amount in dollars, beside that in credits. */
export function Dollars({ amount }: { amount: number }) {
  const rate = useContext(UsdPerCredit);
  return rate === null ? null : <span className="dollars">{formatDollars(amount * rate)}</span>;
}

/** An amount, exact on hover; `hasUnit` where no title says that it is in credits. */
export function Credits({ amount, hasUnit = false }: { amount: number; hasUnit?: boolean }) {
  return (
    <span className="nowrap">
      <span title={`${formatExactCredits(amount)} credits`}>
        {formatCredits(amount)}
        {hasUnit && " credits"}
      </span>{" "}
      <Dollars amount={amount} />
    </span>
  );
}

/** An amount of credits in a chart's numbers: `4.20 ($0.04)`. */
export function useMoneyFormat(): (amount: number) => string {
  const rate = useContext(UsdPerCredit);
  return useCallback(
    (amount) => `${formatCredits(amount)}${rate === null ? "" : ` (${formatDollars(amount * rate)})`}`,
    [rate],
  );
}

/** The words for an amount: `4.20 credits ($0.04)`. */
export function useMoneyWords(): (amount: number) => string {
  const rate = useContext(UsdPerCredit);
  return (amount) => {
    const credits = `${formatCredits(amount)} credits`;
    return rate === null ? credits : `${credits} (${formatDollars(amount * rate)})`;
  };
}
