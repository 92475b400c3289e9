// The columns of the two forms in which usage is exported. docs/usage-export.md
import type { PresentedLine, UsageLinesPage } from "../../manage/usage-lines.ts";
import type { Cell } from "./csv.ts";

/** What the lines of a month have in common. */
export type Month = Pick<UsageLinesPage, "from" | "to" | "usd_per_credit">;

type Column = (line: PresentedLine, month: Month) => Cell;

/** The columns by their names, in their order. */
export type Columns = Readonly<Record<string, Column>>;

/** The fields of the interface. */
const CSV: Columns = {
  day: ({ day }) => day,
  organization: ({ organization }) => organization,
  organization_name: (line) => line.organization_name,
  key: ({ key }) => key,
  key_name: ({ name }) => name,
  member: ({ member }) => member,
  email: ({ email }) => email,
  model: ({ model }) => model,
  label: ({ label }) => label,
  requests: ({ responses }) => responses,
  input_tokens: (line) => line.input_tokens,
  cached_tokens: (line) => line.cached_tokens,
  cache_write_tokens: (line) => line.cache_write_tokens,
  output_tokens: (line) => line.output_tokens,
  reasoning_tokens: (line) => line.reasoning_tokens,
  credits: ({ credits }) => credits,
  cost_usd: ({ usd }) => usd,
  saved: ({ saved }) => saved,
};

const SELLER = "Turngate";
const usd: Column = (line) => line.usd;
/** The price of a credit: times the credits it is the cost, exactly. */
const usdPerCredit: Column = (_, month) => month.usd_per_credit;

/** FOCUS 1.2, in the order of the alphabet as in its text; then columns of ours, as it names them. https://focus.finops.org */
const FOCUS: Columns = {
  BilledCost: usd,
  BillingAccountId: ({ organization }) => organization,
  BillingAccountName: (line) => line.organization_name,
  BillingCurrency: () => "USD",
  BillingPeriodEnd: (_, { to }) => timeOf(to),
  BillingPeriodStart: (_, { from }) => timeOf(from),
  ChargeCategory: () => "Usage",
  ChargeClass: () => null,
  ChargeDescription: ({ responses, model }) => `${responses} ${responses === 1 ? "response" : "responses"} of ${model}`,
  ChargeFrequency: () => "Usage-Based",
  ChargePeriodEnd: ({ to }) => timeOf(to),
  ChargePeriodStart: ({ from }) => timeOf(from),
  ConsumedQuantity: (line) => line.input_tokens + line.output_tokens,
  ConsumedUnit: () => "Tokens",
  ContractedCost: usd,
  ContractedUnitPrice: usdPerCredit,
  EffectiveCost: usd,
  InvoiceIssuerName: () => SELLER,
  ListCost: usd,
  ListUnitPrice: usdPerCredit,
  PricingCategory: () => "Standard",
  PricingQuantity: ({ credits }) => credits,
  PricingUnit: () => "Credits",
  ProviderName: () => SELLER,
  PublisherName: ({ model }) => model.split("/")[0] ?? model,
  ResourceId: ({ key }) => key,
  ResourceName: ({ name }) => name,
  ResourceType: () => "API key",
  ServiceCategory: () => "AI and Machine Learning",
  ServiceName: () => SELLER,
  ServiceSubcategory: () => "Generative AI",
  SkuId: ({ model }) => model,
  SkuMeter: () => "Tokens",
  SkuPriceId: ({ model }) => model,
  SubAccountId: ({ member }) => member,
  SubAccountName: ({ email }) => email,
  Tags: ({ label }) => (label === null ? null : tagsOf(label)),
  x_CacheWriteTokens: (line) => line.cache_write_tokens,
  x_CachedTokens: (line) => line.cached_tokens,
  x_InputTokens: (line) => line.input_tokens,
  x_OutputTokens: (line) => line.output_tokens,
  x_ReasoningTokens: (line) => line.reasoning_tokens,
  x_Requests: ({ responses }) => responses,
  x_SavedCost: (line) => line.saved_usd,
  x_SavedCredits: ({ saved }) => saved,
};

/** The forms by the words of `--format`. */
export const FORMATS = { csv: CSV, focus: FOCUS } as const satisfies Readonly<Record<string, Columns>>;

/** A label `KEY=VALUE` as JSON: the key has no `=`. */
function tagsOf(label: string): string {
  const end = label.indexOf("=");
  return JSON.stringify({ [label.slice(0, end)]: label.slice(end + 1) });
}

/** A Unix second as FOCUS writes times. */
function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
