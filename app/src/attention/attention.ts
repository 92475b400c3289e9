// What needs a person: a mark in the menu, and the first lines of the overview.
import type { Budget, BudgetIncrease, Organization, ProviderHealth, TurnSummary } from "../api/client.ts";

/** The screen where a person can do something about it. */
export type AttentionScreen = "budgets" | "service" | "turns";

export interface Attention {
  readonly screen: AttentionScreen;
  /** Whether something is stopped already. */
  readonly isUrgent: boolean;
  readonly text: string;
}

/** What is known; what is not read yet, or may not be read, is left out. */
export interface Known {
  readonly organization?: Organization | undefined;
  readonly budgets?: readonly Budget[] | undefined;
  readonly increases?: readonly BudgetIncrease[] | undefined;
  readonly providers?: readonly ProviderHealth[] | undefined;
  readonly lastHour?: TurnSummary | undefined;
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
/** Fewer failures of an hour are chance. */
const FAILURES_MIN = 3;
const FAILURES_SHARE = 0.2;
const DAYS_OF_WEEK = 7;

/** What needs a person, the urgent first. */
export function attentionOf(known: Known, words: Words): readonly Attention[] {
  const all = [
    ...ofOrganization(known, words),
    ...(known.increases ?? []).map(({ key_name: name, amount }): Attention => {
      return { screen: "budgets", isUrgent: false, text: `${name} asks for ${words.credits(amount)} more` };
    }),
    ...(known.budgets ?? []).flatMap((budget) => ofBudget(budget, words)),
    ...(known.providers ?? []).flatMap(ofProvider),
    ...ofLastHour(known.lastHour),
  ];
  return all.toSorted((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
}

function ofOrganization({ organization, weekCredits = 0 }: Known, words: Words): readonly Attention[] {
  if (organization === undefined) return [];
  const { suspended = false, credits, held, plan, payment_method: paymentMethod } = organization;
  const urgent = (text: string): readonly Attention[] => [{ screen: "budgets", isUrgent: true, text }];
  if (suspended) return urgent("The organization is suspended: its requests are rejected");
  if (!plan) return urgent("The organization has no plan: its requests are rejected");
  if (!paymentMethod) return urgent("The organization has no payment method: its requests are rejected");
  if (credits + held <= 0) return urgent("No credits are left: requests are rejected");
  const days = weekCredits > 0 ? credits / (weekCredits / DAYS_OF_WEEK) : Infinity;
  if (days >= DAYS_OF_WEEK) return [];
  const rest = days < 1 ? "less than a day" : days < 2 ? "a day" : `${Math.floor(days)} days`;
  const text = `The credits last ${rest} at the rate of the last week: ${words.credits(credits)} are left`;
  return [{ screen: "budgets", isUrgent: false, text }];
}

function ofBudget(budget: Budget, words: Words): readonly Attention[] {
  const { scope, spent, held, limit, raise } = budget;
  // The limit of each response is used up by nothing but that response.
  if (scope === "response") return [];
  const now = limit + (raise?.amount ?? 0);
  const share = now <= 0 ? 1 : (spent + held) / now;
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

function ofLastHour(summary: TurnSummary | undefined): readonly Attention[] {
  if (summary === undefined) return [];
  const failed = summary.failures.reduce((sum, { turns }) => sum + turns, 0);
  if (failed < FAILURES_MIN || failed < summary.turns * FAILURES_SHARE) return [];
  const most = summary.failures.toSorted((one, other) => other.turns - one.turns)[0];
  const text = `${failed} of ${summary.turns} turns of the last hour failed, most by ${most?.code ?? "an error"}`;
  return [{ screen: "turns", isUrgent: false, text }];
}
