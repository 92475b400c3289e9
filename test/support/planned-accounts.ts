// Accounts, and what a file would change about them.
import type { AccountsFile, OrganizationEntry } from "../../src/contract/manage/accounts-file.ts";
import type { ExistingKey, ExistingOrganization } from "../../src/core/accounts-file/account-change.ts";
import { planAccounts } from "../../src/core/accounts-file/plan-accounts.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";

export const KEY: ExistingKey = {
  id: "key_1",
  name: "chat",
  member: null,
  permissions: "all",
  unanswered_calls: "refuse",
  limits: {
    allow_models: null,
    create_per_minute: null,
    retrieve_per_minute: null,
    delete_per_minute: null,
    tokens_per_minute: null,
    concurrent_turns: null,
  },
};

export const ACME: ExistingOrganization = {
  id: "org_1",
  values: {
    name: "Acme",
    plan: true,
    payment_method: true,
    suspended: false,
    retention_days: 30,
    policy: { allow_models: null, deny_models: ["test/a", "test/b"], tool_calls_per_turn: null },
    limits: {
      create_per_minute: null,
      retrieve_per_minute: null,
      delete_per_minute: null,
      tokens_per_minute: null,
      open_streams: 5,
      concurrent_turns: null,
    },
  },
  balance: 5,
  members: [
    { id: "mem_1", email: "ada@acme.test", role: "owner" },
    { id: "mem_2", email: "bob@acme.test", role: "member" },
  ],
  keys: [KEY, { ...KEY, id: "key_2", name: "batch", member: "bob@acme.test" }],
  budgets: [
    { scope: "organization", id: null, period: "month", limit: 100 },
    { scope: "key", id: "key_1", period: "day", limit: 5 },
    { scope: "member", id: "mem_2", period: "total", limit: 7 },
  ],
};

const catalog = { find: (name: string) => (name === "a" ? ({ id: "test/a" } as CatalogModel) : undefined) };

export function plan(
  file: AccountsFile,
  { present = [ACME], prune = false }: { present?: ExistingOrganization[]; prune?: boolean } = {},
) {
  return planAccounts({ file, present, catalog, retention: { minimum: 2, maximum: 90 }, prune });
}

export const planAcme = (
  entry: Partial<OrganizationEntry>,
  more: { present?: ExistingOrganization[]; prune?: boolean } = {},
) => plan({ organizations: [{ name: "Acme", ...entry }] }, more);
