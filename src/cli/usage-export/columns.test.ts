import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PresentedLine } from "../../manage/usage-lines.ts";
import { FORMATS, type Month } from "./columns.ts";

const MONTH: Month = { from: 1_793_487_600, to: 1_796_079_600, usd_per_credit: "0.01" };
const LINE: PresentedLine = {
  day: "2026-11-02",
  from: 1_793_574_000,
  to: 1_793_660_400,
  organization: "org_1",
  organization_name: "Acme",
  key: "key_1",
  name: "chat",
  member: "mem_1",
  email: "ada@acme.test",
  model: "openai/gpt-5.2",
  label: "team=a=b",
  responses: 2,
  input_tokens: 100,
  cached_tokens: 40,
  cache_write_tokens: 10,
  output_tokens: 30,
  reasoning_tokens: 5,
  credits: "1.000000001",
  usd: "0.01000000001",
  saved: "-0.3",
  saved_usd: "-0.003",
};

const valuesOf = (format: keyof typeof FORMATS, line: PresentedLine) =>
  Object.fromEntries(Object.entries(FORMATS[format]).map(([name, column]) => [name, column(line, MONTH)]));

test("a line in the columns of FOCUS", () => {
  assert.deepEqual(valuesOf("focus", LINE), {
    BilledCost: "0.01000000001",
    BillingAccountId: "org_1",
    BillingAccountName: "Acme",
    BillingCurrency: "USD",
    BillingPeriodEnd: "2026-11-30T23:00:00Z",
    BillingPeriodStart: "2026-10-31T23:00:00Z",
    ChargeCategory: "Usage",
    ChargeClass: null,
    ChargeDescription: "2 responses of openai/gpt-5.2",
    ChargeFrequency: "Usage-Based",
    ChargePeriodEnd: "2026-11-02T23:00:00Z",
    ChargePeriodStart: "2026-11-01T23:00:00Z",
    ConsumedQuantity: 130,
    ConsumedUnit: "Tokens",
    ContractedCost: "0.01000000001",
    ContractedUnitPrice: "0.01",
    EffectiveCost: "0.01000000001",
    InvoiceIssuerName: "Turngate",
    ListCost: "0.01000000001",
    ListUnitPrice: "0.01",
    PricingCategory: "Standard",
    PricingQuantity: "1.000000001",
    PricingUnit: "Credits",
    ProviderName: "Turngate",
    PublisherName: "openai",
    ResourceId: "key_1",
    ResourceName: "chat",
    ResourceType: "API key",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Turngate",
    ServiceSubcategory: "Generative AI",
    SkuId: "openai/gpt-5.2",
    SkuMeter: "Tokens",
    SkuPriceId: "openai/gpt-5.2",
    SubAccountId: "mem_1",
    SubAccountName: "ada@acme.test",
    Tags: '{"team":"a=b"}',
    x_CacheWriteTokens: 10,
    x_CachedTokens: 40,
    x_InputTokens: 100,
    x_OutputTokens: 30,
    x_ReasoningTokens: 5,
    x_Requests: 2,
    x_SavedCost: "-0.003",
    x_SavedCredits: "-0.3",
  });
});

test("what a line has not is an empty cell", () => {
  const { SubAccountId, SubAccountName, ResourceName, Tags } = valuesOf("focus", {
    ...LINE,
    name: null,
    member: null,
    email: null,
    label: null,
  });
  assert.deepEqual([SubAccountId, SubAccountName, ResourceName, Tags], [null, null, null, null]);
});

test("the columns that FOCUS 1.2 requires are there, the columns of ours are last and begin with x_", () => {
  const names = Object.keys(FORMATS.focus);
  // Of its text: the columns with the feature level "Mandatory".
  const required =
    "BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart ContractedCost EffectiveCost InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName PublisherName ServiceCategory ServiceName";
  assert.deepEqual(
    required.split(" ").filter((name) => !names.includes(name)),
    [],
  );
  const first = names.findIndex((name) => name.startsWith("x_"));
  assert.deepEqual(names.slice(0, first), names.slice(0, first).toSorted());
  assert.ok(names.slice(first).every((name) => /^x_[A-Z]/.test(name)));
});

test("docs/usage-export.md has every column of both forms", () => {
  const page = readFileSync(new URL("../../../docs/usage-export.md", import.meta.url), "utf8");
  const names = Object.values(FORMATS).flatMap((columns) => Object.keys(columns));
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});
