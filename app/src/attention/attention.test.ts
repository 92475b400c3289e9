import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderHealth } from "../api/client.ts";
import { attentionOf, type Known } from "./attention.ts";

const words = {
  budget: ({ scope, id }: { scope: string; id: string | null }) => `${scope} ${id ?? ""}`.trim(),
  credits: (amount: number) => `${amount} credits`,
};
const textsOf = (known: Known) => attentionOf(known, words).map(({ text }) => text);

const organization = {
  id: "org_1",
  name: "Acme",
  plan: true,
  payment_method: true,
  credits: 70,
  held: 0,
} as NonNullable<Known["organization"]>;
const budget = {
  scope: "key",
  id: "key_1",
  period: "month",
  limit: 100,
  spent: 0,
  held: 0,
  used_up_at: null,
} as const;
const provider: ProviderHealth = {
  name: "openai",
  type: "openai",
  models: 1,
  targets: [],
  last_success_at: 10,
  last_failure: { at: 20, code: "provider_overloaded", status: 529, request_id: null },
  recent: { calls: 4, failures: 2, by_code: [] },
};
const outcomes = (turns: number, failures: number, kind: "failed" | "withdrawn" | "rejected" = "failed") => ({
  turns,
  failures: [{ kind, code: "provider_error" as const, failures }],
});

test("nothing needs a person as long as nothing is known, and while all is well", () => {
  assert.deepEqual(textsOf({}), []);
  assert.deepEqual(
    textsOf({
      organization,
      budgets: [{ ...budget, spent: 79 }],
      increases: [],
      providers: [{ ...provider, last_success_at: 20 }],
      outcomes: outcomes(20, 3),
      weekCredits: 70,
    }),
    [],
  );
});

test("an organization that is stopped, or whose credits end within a week, needs a person", () => {
  const rows = [
    [{ organization: { ...organization, suspended: true } }, "The organization is suspended: requests are rejected"],
    [{ organization: { ...organization, plan: false } }, "The organization has no plan: requests are rejected"],
    [{ organization: { ...organization, credits: 0 } }, "No credits are left: requests are rejected"],
    [{ organization, weekCredits: 140 }, "The credits last 3 days at the rate of the last week: 70 credits are left"],
    [
      { organization, weekCredits: 700 },
      "The credits last less than a day at the rate of the last week: 70 credits are left",
    ],
  ] as const satisfies readonly (readonly [Known, string])[];
  for (const [known, text] of rows) assert.deepEqual(textsOf(known), [text]);
});

test("a budget needs a person from 80 % on, with its raise and what is held", () => {
  const rows = [
    [{ ...budget, spent: 70, held: 10 }, "The budget of key key_1 is used to 80 %: 70 credits of 100 credits"],
    [{ ...budget, spent: 100 }, "The budget of key key_1 is used up: 100 credits of 100 credits"],
    [{ ...budget, spent: 90, raise: { amount: 50, until: 1 } }, undefined],
    [{ ...budget, scope: "response" as const, id: null, spent: 100 }, undefined],
  ] as const;
  for (const [one, text] of rows) assert.deepEqual(textsOf({ budgets: [one] })[0], text);
});

test("the urgent comes first: a provider that fails before a request for more", () => {
  const increase = { id: "inc_1", key: "key_1", key_name: "chat", budget, amount: 5, at: 1, until: null };
  assert.deepEqual(textsOf({ increases: [increase], providers: [provider], outcomes: outcomes(15, 3) }), [
    "The provider openai failed last (provider_overloaded): 2 of 4 calls in 15 minutes",
    "chat asks for 5 credits more",
    "3 of 15 requests failed within two hours, most by provider_error",
  ]);
});

test("a provider's failures need a person also when no response came to be; the clients' own mistakes do not", () => {
  const [outage] = attentionOf({ outcomes: outcomes(0, 100, "withdrawn") }, words);
  assert.deepEqual(
    [outage?.text, outage?.isUrgent, outage?.code],
    ["100 of 100 requests failed within two hours, most by provider_error", true, "provider_error"],
  );
  assert.deepEqual(textsOf({ outcomes: outcomes(400, 100, "withdrawn") }), [
    "100 of 500 requests failed within two hours, most by provider_error",
  ]);
  assert.deepEqual(textsOf({ outcomes: outcomes(500, 100, "withdrawn") }), []);
  assert.deepEqual(textsOf({ outcomes: outcomes(0, 100, "rejected") }), []);
});
