// What needs a person: a mark in the menu, and the first lines of the overview.
import type { Budget, BudgetIncrease, ErrorCode, FailureSum, Organization, ProviderHealth } from "../api/client.ts";
import { limitNow, shareOf } from "../screens/budgets/periods.ts";

/** The screen where a person can do something about it. */
export type AttentionScreen = "budgets" | "service" | "errors";

export interface Attention {
  readonly screen: AttentionScreen;
  /** Whether something is stopped already. */
  readonly isUrgent: boolean;
  readonly text: string;
  /** Of failures: the most frequent one. */
  readonly code?: ErrorCode | undefined;
  /** A request for more, which the overview shows with its buttons. */
  readonly isRequest?: true;
}

/** What became of the requests of the last hours. */
export interface Outcomes {
  /** Ended turns, those that failed included. */
  readonly turns: number;
  /** By kind and code. */
  readonly failures: readonly FailureSum[];
}

/** What is known; what is not read yet, or may not be read, is left out. */
export interface Known {
  readonly organization?: Organization | undefined;
  readonly budgets?: readonly Budget[] | undefined;
  readonly increases?: readonly BudgetIncrease[] | undefined;
  readonly providers?: readonly ProviderHealth[] | undefined;
  /** Of this hour and the one before it. */
  readonly outcomes?: Outcomes | undefined;
  /** Credits that the organization has spent in the last seven days. */
  readonly weekCredits?: number | undefined;
}

/** The words for a budget and for an amount of credits. */
export interface Words {
  readonly budget: (budget: Pick<Budget, "scope" | "id">) => string;
  readonly credits: (amount: number) => string;
}

/** A budget of which so much is used is near its end. */
const BUDGET_SHARE = 0.8;
/** Fewer failures may be chance. */
const FAILURES_MIN = 3;
const FAILURES_SHARE = 0.2;
const DAYS_OF_WEEK = 7;

/** What needs a person, the urgent first. */
export function attentionOf(known: Known, words: Words): readonly Attention[] {
  const all = [
    ...ofOrganization(known, words),
    ...(known.increases ?? []).map(({ key_name: name, amount }): Attention => {
      const text = `${name} asks for ${words.credits(amount)} more`;
      return { screen: "budgets", isUrgent: false, text, isRequest: true };
    }),
    ...(known.budgets ?? []).flatMap((budget) => ofBudget(budget, words)),
    ...(known.providers ?? []).flatMap(ofProvider),
    ...ofOutcomes(known.outcomes),
  ];
  return all.toSorted((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
}

function ofOrganization({ organization, weekCredits = 0 }: Known, words: Words): readonly Attention[] {
  if (organization === undefined) return [];
  const { credits } = organization;
  const stop = stopOf(organization);
  if (stop !== null) return [{ screen: "budgets", isUrgent: true, text: `${stop}: requests are rejected` }];
  const days = weekCredits > 0 ? credits / (weekCredits / DAYS_OF_WEEK) : Infinity;
  if (days >= DAYS_OF_WEEK) return [];
  const rest = days < 1 ? "less than a day" : days < 2 ? "a day" : `${Math.floor(days)} days`;
  const text = `The credits last ${rest} at the rate of the last week: ${words.credits(credits)} are left`;
  return [{ screen: "budgets", isUrgent: false, text }];
}

/** Why every create of an organization is rejected; null: they are not. */
export function stopOf({ suspended, plan, payment_method: paymentMethod, credits, held }: Organization): string | null {
  if (suspended === true) return "The organization is suspended";
  if (!plan) return "The organization has no plan";
  if (!paymentMethod) return "The organization has no payment method";
  return credits + held <= 0 ? "No credits are left" : null;
}

function ofBudget(budget: Budget, words: Words): readonly Attention[] {
  const { scope, spent } = budget;
  // The limit of each response is used up by nothing but that response.
  if (scope === "response") return [];
  const [now, share] = [limitNow(budget), shareOf(budget)];
  if (share < BUDGET_SHARE) return [];
  const isUsedUp = spent >= now;
  const how = isUsedUp ? "is used up" : `is used to ${Math.floor(share * 100)} %`;
  const text = `The budget of ${words.budget(budget)} ${how}: ${words.credits(spent)} of ${words.credits(now)}`;
  return [{ screen: "budgets", isUrgent: isUsedUp, text }];
}

function ofProvider({ name, recent, last_success_at: success, last_failure: failure }: ProviderHealth) {
  if (failure === null || (success !== null && success >= failure.at) || recent.failures === 0) return [];
  const text = `The provider ${name} failed last (${failure.code}): ${recent.failures} of ${recent.calls} calls in 15 minutes`;
  return [{ screen: "service", isUrgent: true, text } as const];
}

/**
 * Warns of failures at providers: failed responses, and requests withdrawn before a response. Rejected requests are the
 * client's fault and are not counted.
 */
function ofOutcomes(outcomes: Outcomes | undefined): readonly Attention[] {
  if (outcomes === undefined) return [];
  const { turns, failures } = outcomes;
  const withdrawn = failures.reduce((sum, row) => (row.kind === "withdrawn" ? sum + row.failures : sum), 0);
  const byCode = new Map<ErrorCode | undefined, number>();
  for (const { kind, code, failures: count } of failures) {
    if (kind === "failed" || kind === "withdrawn")
      byCode.set(code ?? undefined, (byCode.get(code ?? undefined) ?? 0) + count);
  }
  const failed = [...byCode.values()].reduce((sum, count) => sum + count, 0);
  const all = Math.max(turns + withdrawn, failed);
  if (failed < FAILURES_MIN || failed < all * FAILURES_SHARE) return [];
  const [most] = [...byCode].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const text = `${failed} of ${all} requests failed within two hours, most by ${most ?? "an error"}`;
  return [{ screen: "errors", isUrgent: failed === all, text, code: most }];
}
