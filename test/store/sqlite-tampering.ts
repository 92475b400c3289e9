// Changes to the books of sqlite-reconcile.test.ts that reconciling must find.
import type { Compared } from "../../src/ports/store/money.ts";
import { START_MS } from "./fixtures.ts";

/** The UTC day of the tests' clock. */
export const TODAY = START_MS / 86_400_000;

/** A change to the file and the expected findings: organization, stored figure, expected figure. */
export const TAMPERING: readonly (readonly [
  string,
  string,
  readonly (readonly [Compared, string | null, bigint, bigint])[],
])[] = [
  [
    "a top-up is made larger",
    "update ledger_transfers set amount_nano = 1001 where kind = 'topup' and organization_id = 'org_other'",
    [
      ["balance.credits", null, 1000n, 1001n],
      ["balance.topups", null, 1000n, 1001n],
    ],
  ],
  [
    "a balance is raised",
    "update balances set credits_nano = 2000, topups_nano = 2000 where organization_id = 'org_other'",
    [
      ["balance.credits", null, 2000n, 1000n],
      ["balance.topups", null, 2000n, 1000n],
    ],
  ],
  [
    "what is held is given back",
    "update balances set credits_nano = credits_nano + 30, held_nano = 0 where organization_id = 'org_acme'",
    [
      ["balance.credits", null, 974n, 944n],
      ["balance.held", null, 0n, 30n],
      ["held", null, 0n, 30n],
    ],
  ],
  [
    "a settlement is taken away",
    "delete from ledger_transfers where id = 18",
    [
      ["response.charged", "resp_2", 20n, 0n],
      ["response.settlements", "resp_2", 0n, 1n],
      ["response.held", "resp_2", 0n, 20n],
      ["balance.held", null, 30n, 50n],
      ["balance.charged", null, 32n, 12n],
    ],
  ],
  [
    "a release is taken away",
    "delete from ledger_transfers where id = 14",
    [
      ["response.held", "resp_1", 0n, 3n],
      ["balance.credits", null, 944n, 941n],
      ["balance.held", null, 30n, 33n],
    ],
  ],
  [
    "a response that was charged is taken away",
    "delete from responses where public_id = 'resp_2'",
    [
      ["response.charged", "resp_2", 0n, 20n],
      ["charged", null, 32n, 12n],
      ["usage.responses", "2026-01-01T00:00Z key_acme_2 - acme/small", 1n, 0n],
      ["usage.input_tokens", "2026-01-01T00:00Z key_acme_2 - acme/small", 100n, 0n],
      ["usage.output_tokens", "2026-01-01T00:00Z key_acme_2 - acme/small", 10n, 0n],
      ["usage.charged", "2026-01-01T00:00Z key_acme_2 - acme/small", 20n, 0n],
    ],
  ],
  [
    "a response that runs is ended without its hold",
    "update responses set completed_at = 5, charged_nano = 0, prices = null where public_id = 'resp_4'",
    [
      ["response.held", "resp_4", 0n, 30n],
      ["response.settlements", "resp_4", 0n, 1n],
      ["held", null, 30n, 0n],
      ["usage.responses", "2026-01-01T00:00Z key_acme mem_ada acme/small", 0n, 1n],
      ["budget.held", "organization total 1970-01-01", 30n, 0n],
    ],
  ],
  [
    "a running response holds more than was set aside",
    "update responses set held_nano = 31 where public_id = 'resp_4'",
    [
      ["response.held", "resp_4", 31n, 30n],
      ["held", null, 30n, 31n],
      ["budget.held", "organization total 1970-01-01", 30n, 31n],
    ],
  ],
  [
    "a charge is made smaller",
    "update responses set charged_nano = 1 where public_id = 'resp_1'",
    [
      ["response.charged", "resp_1", 1n, 12n],
      ["response.price", "resp_1", 1n, 12n],
      ["charged", null, 32n, 21n],
      ["usage.charged", "2025-12-31T00:00Z key_acme mem_ada acme/small", 12n, 1n],
    ],
  ],
  [
    "tokens are added to a response",
    "update responses set output_tokens = 11 where public_id = 'resp_1'",
    [
      ["response.price", "resp_1", 12n, 13n],
      ["usage.output_tokens", "2025-12-31T00:00Z key_acme mem_ada acme/small", 10n, 11n],
    ],
  ],
  [
    "prices are lowered",
    "update responses set prices = replace(prices, '100000,', '0,') where public_id = 'resp_2'",
    [["response.price", "resp_2", 20n, 10n]],
  ],
  [
    "a response is held for and settled again",
    `drop index ledger_transfers_close_once;
       drop index ledger_transfers_hold_once;
       insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
       values ('org_acme', 'hold', 'credits', 'held', 20, 'resp_2', 9),
              ('org_acme', 'settle', 'held', 'charged', 20, 'resp_2', 9)`,
    [
      ["balance.credits", null, 944n, 924n],
      ["balance.charged", null, 32n, 52n],
    ],
  ],
  [
    "a running response is held for twice",
    `drop index ledger_transfers_hold_once;
       update ledger_transfers set kind = 'hold' where id = 21`,
    [["response.holds", "resp_4", 2n, 1n]],
  ],
  [
    "a release goes to what is charged",
    "update ledger_transfers set to_account = 'charged' where id = 14",
    [
      ["transfer.accounts", "14", 0n, 1n],
      ["balance.credits", null, 944n, 941n],
      ["balance.charged", null, 32n, 35n],
    ],
  ],
  [
    "usage is moved to another key",
    `update usage_by_hour set key_id = 'key_acme' where key_id = 'key_acme_2'`,
    [
      ["usage.charged", "2026-01-01T00:00Z key_acme - acme/small", 20n, 0n],
      ["usage.charged", "2026-01-01T00:00Z key_acme_2 - acme/small", 0n, 20n],
    ],
  ],
  [
    "a row of usage is taken away",
    "delete from usage_by_hour where hour = " + String((TODAY - 1) * 24),
    [
      ["usage.charged", "2025-12-31T00:00Z key_acme mem_ada acme/small", 0n, 12n],
      ["budget.spent", "organization total 1970-01-01", 32n, 20n],
    ],
  ],
  [
    "a budget is made to have spent nothing",
    "update budget_periods set spent_nano = 0",
    [
      ["budget.spent", "organization total 1970-01-01", 0n, 32n],
      ["budget.spent", "key key_acme_2 day 2026-01-01", 0n, 20n],
    ],
  ],
  [
    "a budget's period is taken away",
    `delete from budget_periods where period_from = ${TODAY}`,
    [["budget.spent", "key key_acme_2 day", 0n, 20n]],
  ],
  [
    "all of a budget's periods are taken away",
    "delete from budget_periods",
    [
      ["budget.spent", "organization total", 0n, 32n],
      ["budget.held", "organization total", 0n, 30n],
    ],
  ],
];
