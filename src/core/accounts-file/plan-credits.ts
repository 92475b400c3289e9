// Plans the top-up of an organization whose balance is lower than the file wants it to be.
import { formatCredits, readCredits } from "../money/credits.ts";
import { AccountsFileFault, type CreditsChange, type PlannedOrganization } from "./account-change.ts";

/** Nano-credits of the smallest amount that can be added. */
const STEP_NANO = 1000n;
/** Decimals of nano-credits. */
const DECIMALS = 9;

/** The change that raises the balance to `credits.at_least`; null when it is not lower, or the entry does not say. */
export function planCredits({ organization, entry, at, present }: PlannedOrganization): CreditsChange | null {
  const wanted = entry.credits?.at_least;
  if (wanted === undefined) return null;
  if (readCredits(String(wanted)) === null) {
    throw new AccountsFileFault([...at, "credits", "at_least"], `is ${wanted}; allowed: at most six decimals.`);
  }
  const balance = present?.balance ?? 0;
  if (lackOf(balance, wanted) === 0) return null;
  const id = present?.id ?? null;
  return {
    object: "credits",
    action: "change",
    organization,
    id,
    name: organization,
    before: { balance },
    after: { balance: wanted },
  };
}

/** What a balance lacks up to an amount, in the steps in which credits can be added; 0 when it lacks nothing. */
export function lackOf(balance: number, wanted: number): number {
  const lack = nanoOf(wanted) - nanoOf(balance);
  if (lack <= 0n) return 0;
  return Number(formatCredits(((lack + STEP_NANO - 1n) / STEP_NANO) * STEP_NANO));
}

/** The credits of an organization, with those that running turns hold: they come back, or are spent. */
export function balanceOf({ credits, held }: { readonly credits: number; readonly held: number }): number {
  return Number(formatCredits(nanoOf(credits) + nanoOf(held)));
}

/** Credits as they come in JSON, exactly as they are written: sums of fractions as floating point would not be. */
function nanoOf(credits: number): bigint {
  return BigInt(credits.toFixed(DECIMALS).replace(".", ""));
}
