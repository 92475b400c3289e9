// Events as sentences.
import type { EventType } from "../contract/manage/event-types.ts";
import type { BudgetPeriod } from "../contract/money.ts";
import { parseBudget } from "../core/money/budgets.ts";
import type { FeedEvent } from "../ports/store/events.ts";

/** What happened, as a sentence. */
export function sentenceOf(event: FeedEvent): string {
  return SENTENCES[event.type](event);
}

type Sentence = (event: FeedEvent) => string;

const SENTENCES: Readonly<Record<EventType, Sentence>> = {
  "organization.create": (event) => `The organization ${organization(event)} was created.`,
  "organization.suspend": (event) => `${organization(event)} was suspended: its requests are rejected.`,
  "organization.resume": (event) => `${organization(event)} is served again.`,
  "organization.delete": (event) => `The organization ${text(event.target)} was deleted.`,
  "plan.start": (event) => `The plan of ${organization(event)} was started.`,
  "plan.stop": (event) =>
    `The plan of ${organization(event)} was stopped: its new responses are rejected, and queued ones fail.`,
  "payment_method.set": (event) => `${organization(event)} has a payment method.`,
  "payment_method.clear": (event) =>
    `The payment method of ${organization(event)} was removed: its new responses are rejected, and queued ones fail.`,
  "retention.set": (event) => {
    const { days } = event.data;
    return days === null
      ? `The histories of ${organization(event)} are kept as long as the service keeps any.`
      : `The histories of ${organization(event)} are deleted ${text(days)} days after their last use.`;
  },
  "policy.set": (event) => `The model policy of ${organization(event)} was changed.`,
  "limits.set": (event) => `The limits of ${organization(event)} were changed.`,
  "credits.add": (event) => `${organization(event)} got ${credits(event.data["amount"])}.`,
  "member.add": (event) => `${subject(event)} joined as ${text(event.data["role"])}.`,
  "member.remove": (event) => `${subject(event)} was removed.`,
  "member.role": (event) => `${subject(event)} has the role ${text(event.data["role"])} now.`,
  "key.create": (event) => `The API key ${subject(event)} was created.`,
  "key.rotate": (event) =>
    `The API key ${subject(event)} has a new secret; the old one is valid until ${time(event.data["old_secret_valid_until"])}.`,
  "key.revoke": (event) => `The API key ${subject(event)} was revoked.`,
  "key.secret_ends": (event) =>
    `The old secret of the API key ${subject(event)} ends at ${time(event.data["old_secret_valid_until"])}.`,
  "budget.set": (event) => `The ${budget(event)} was set to ${credits(event.data["limit"])}.`,
  "budget.raise": (event) => `The ${budget(event)} ${raise(event.data["raise"])}.`,
  "budget.clear": (event) => `The ${budget(event)} was removed.`,
  "budget.reached": (event) => {
    const { share, spent, limit, used_up_at: usedUpAt } = event.data;
    const forecast = typeof usedUpAt === "number" ? ` At this pace it is used up at ${time(usedUpAt)}.` : "";
    return `The ${budget(event)} has reached ${text(share)} %: ${decimal(spent)} of ${credits(limit)}.${forecast}`;
  },
  "budget.rejected": (event) => {
    const { limit, spent, held, needed } = event.data;
    return `The ${budget(event)} leaves too little for a response, which was rejected or stopped: ${decimal(spent)} of ${credits(limit)} are spent and ${decimal(held)} reserved, and it needs ${decimal(needed)}.`;
  },
  "budget.increase_requested": (event) =>
    `The API key ${subject(event)} asks for ${credits(event.data["amount"])} more in ${INCREASED[text(event.data["scope"])] ?? "a budget"}.`,
  "credits.low": (event) => {
    const { share, credits: left, topped_up: toppedUp } = event.data;
    if (share === 0) return `${organization(event)} has no credits left: its new responses are rejected.`;
    return `${organization(event)} has ${credits(left)} left: ${text(share)} % of the ${decimal(toppedUp)} after its last top-up.`;
  },
  "credits.rejected": (event) =>
    `A response of ${organization(event)} was rejected for lack of credits: ${credits(event.data["credits"])} are left and ${decimal(event.data["held"])} reserved, and it needs ${decimal(event.data["needed"])}.`,
  "token.create": (event) => {
    const { name, scope, permissions, expires_at: expiresAt } = event.data;
    const reads = permissions === "read" ? ", read-only" : "";
    const until = typeof expiresAt === "number" ? `, until ${time(expiresAt)}` : "";
    return `A management token was created: ${text(name)}, role ${text(scope)}${reads}${until}.`;
  },
  "token.revoke": (event) => `The management token ${text(event.target)} was revoked.`,
  "configuration.reload": (event) => `The configuration of ${text(event.target)} was reloaded.`,
  "provider.failing": (event) =>
    `The provider ${text(event.target)} fails: ${text(event.data["failures"])} of its last ${text(event.data["calls"])} calls.`,
  "provider.recovered": (event) => `The provider ${text(event.target)} has recovered.`,
};

function organization({ organizationName, organizationId }: FeedEvent): string {
  return organizationName ?? text(organizationId);
}

function subject({ name, target }: FeedEvent): string {
  return name ?? text(target);
}

/** `monthly budget of the key web app`. */
function budget(event: FeedEvent): string {
  const name = parseBudget(event.target ?? "");
  if (name === null) return `budget of ${organization(event)}`;
  const { scope, period } = name;
  if (scope === "response") return `limit of a single response in ${organization(event)}`;
  const owner = scope === "key" || scope === "member" ? `the ${scope} ${subject(event)}` : organization(event);
  return `${PERIODS[period]} budget of ${owner}`;
}

/** Which budget a key asks about. */
const INCREASED: Readonly<Record<string, string>> = {
  key: "its own budget",
  member: "the budget of its owner",
  organization: "the budget of the organization",
  "organization-day": "the daily budget of the organization",
  response: "the limit of a single response",
};

const PERIODS: Readonly<Record<BudgetPeriod, string>> = { day: "daily", month: "monthly", total: "total" };

function raise(value: unknown): string {
  if (typeof value !== "object" || value === null) return "is no longer raised";
  const { amount, until } = value as { amount?: unknown; until?: unknown };
  return `is raised by ${credits(amount)} until ${time(until)}`;
}

function credits(value: unknown): string {
  return `${decimal(value)} credits`;
}

function time(seconds: unknown): string {
  if (typeof seconds !== "number") return "an unknown time";
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "?";
}

const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });

/** An amount of credits as the app shows it: two decimals, and more only below a hundredth. */
function decimal(value: unknown): string {
  if (typeof value !== "number") return text(value);
  return (value !== 0 && Math.abs(value) < 0.01 ? small : amounts).format(value);
}
