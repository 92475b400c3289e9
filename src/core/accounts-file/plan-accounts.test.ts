import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountsFile, OrganizationEntry } from "../../contract/manage/accounts-file.ts";
import type { CatalogModel } from "../models/catalog.ts";
import { AccountsFileFault, type PresentKey, type PresentOrganization } from "./account-change.ts";
import { asAccountsFile } from "./as-file.ts";
import { planAccounts } from "./plan-accounts.ts";

const KEY: PresentKey = { id: "key_1", name: "chat", member: null, permissions: "all", unanswered_calls: "refuse" };

const ACME: PresentOrganization = {
  id: "org_1",
  values: {
    name: "Acme",
    plan: true,
    payment_method: true,
    suspended: false,
    policy: { allow_models: null, deny_models: ["test/a", "test/b"], tool_calls_per_turn: null },
    limits: { create_per_minute: null, retrieve_per_minute: null, delete_per_minute: null, open_streams: 5 },
  },
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

function plan(
  file: AccountsFile,
  { present = [ACME], prune = false }: { present?: PresentOrganization[]; prune?: boolean } = {},
) {
  return planAccounts({ file, present, catalog, prune });
}

const planAcme = (entry: Partial<OrganizationEntry>, more: { present?: PresentOrganization[]; prune?: boolean } = {}) =>
  plan({ organizations: [{ name: "Acme", ...entry }] }, more);

test("the file of the accounts that there are changes nothing, pruned or not", () => {
  const beta = { ...ACME, id: "org_2", values: { ...ACME.values, name: "Beta" } };
  const twins = { ...ACME, keys: [...ACME.keys, { ...KEY, id: "key_3", member: "mem_gone" }] };
  for (const present of [[], [ACME], [ACME, beta], [twins]]) {
    const { changes, unlisted } = plan(asAccountsFile(present), { present, prune: true });
    assert.deepEqual([changes, unlisted], [[], []]);
  }
});

test("an entry changes what it names, and leaves the rest alone", () => {
  const { changes, unlisted } = planAcme({ plan: false, suspended: false, policy: { tool_calls_per_turn: 3 } });
  assert.deepEqual(changes, [
    {
      object: "organization",
      action: "change",
      organization: "Acme",
      id: "org_1",
      name: "Acme",
      before: { plan: true, policy: { tool_calls_per_turn: null } },
      after: { plan: false, policy: { tool_calls_per_turn: 3 } },
    },
  ]);
  assert.deepEqual(unlisted, []);
});

test("models are compared by their full ids, in any order", () => {
  assert.deepEqual(planAcme({ policy: { deny_models: ["test/b", "a"] } }).changes, []);
  const { changes, unknownModels } = planAcme({ policy: { deny_models: ["a", "test/c"], allow_models: ["a"] } });
  assert.deepEqual(changes[0]?.after, { policy: { deny_models: ["test/a", "test/c"], allow_models: ["test/a"] } });
  assert.deepEqual(unknownModels, ["test/c"]);
});

test("what the lists of the file do not have stays, and is removed with prune: budgets, keys, members", () => {
  const entry: Partial<OrganizationEntry> = {
    members: [{ email: "ADA@acme.test", role: "owner" }],
    keys: [{ name: "chat" }],
    budgets: [{ scope: "organization", period: "month", limit: 100 }],
  };
  const kept = planAcme(entry);
  assert.deepEqual(kept.changes, []);
  assert.deepEqual(
    kept.unlisted.map(({ object, name }) => `${object} ${name}`),
    ["budget chat", "budget bob@acme.test", "key batch", "member bob@acme.test"],
  );
  const pruned = planAcme(entry, { prune: true });
  assert.deepEqual(pruned.unlisted, []);
  assert.deepEqual(
    pruned.changes.map(({ action, object, id }) => `${action} ${object} ${id}`),
    ["remove budget key_1", "remove budget mem_2", "remove key key_2", "remove member mem_2"],
  );
  assert.deepEqual(planAcme({ name: "Acme" }, { prune: true }), { changes: [], unlisted: [], unknownModels: [] });
});

test("organizations that are not in the file stay, also with prune", () => {
  const { changes, unlisted } = plan({ organizations: [] }, { prune: true });
  assert.deepEqual(changes, []);
  assert.deepEqual(unlisted, [{ object: "organization", organization: "Acme", name: "Acme" }]);
});

test("what is created comes in an order in which it can be: organization, owners, members, keys, budgets", () => {
  const { changes } = plan({
    organizations: [
      {
        name: "New",
        members: [
          { email: "m@new.test", role: "member" },
          { email: "o@new.test", role: "owner" },
        ],
        keys: [{ name: "key of m", member: "m@new.test" }],
        budgets: [
          { scope: "key", id: "key of m", limit: 1 },
          { scope: "member", id: "m@new.test", period: "day", limit: 0.000001 },
        ],
      },
    ],
  });
  assert.deepEqual(
    changes.map(({ action, object, name }) => `${action} ${object} ${name}`),
    [
      "create organization New",
      "create member o@new.test",
      "create member m@new.test",
      "create key key of m",
      "create budget key of m",
      "create budget m@new.test",
    ],
  );
});

test("an organization that is named by its id is renamed", () => {
  const { changes } = planAcme({ id: "org_1", name: "Acme Ltd" });
  assert.deepEqual(
    changes.map(({ before, after }) => [before, after]),
    [[{ name: "Acme" }, { name: "Acme Ltd" }]],
  );
});

const twins = [{ ...ACME, keys: [...ACME.keys, { ...KEY, id: "key_3" }] }];
const beta = { ...ACME, id: "org_2", values: { ...ACME.values, name: "Beta" } };
const owner = { email: "ada@acme.test", role: "owner" } as const;

const faults: readonly (readonly [string, () => unknown, string, RegExp])[] = [
  ["a name like an id", () => planAcme({ name: "org_x" }), "organizations.0.name", /must not begin with org_/],
  [
    "a name twice",
    () => plan({ organizations: [{ name: "A" }, { name: " A" }] }),
    "organizations.1.name",
    /listed before/,
  ],
  ["an unknown organization", () => planAcme({ id: "org_9" }), "organizations.0.id", /no such organization/],
  [
    "the name of another organization",
    () => planAcme({ id: "org_1", name: "Beta" }, { present: [ACME, beta] }),
    "organizations.0.name",
    /the name of org_2/,
  ],
  [
    "an organization twice",
    () => plan({ organizations: [{ name: "Acme" }, { name: "Other", id: "org_1" }] }),
    "organizations.1",
    /listed before/,
  ],
  [
    "an unknown model",
    () => planAcme({ policy: { deny_models: ["nothing"] } }),
    "organizations.0.policy.deny_models",
    /no model "nothing"/,
  ],
  [
    "no e-mail address",
    () => planAcme({ members: [owner, { email: "bob", role: "admin" }] }),
    "organizations.0.members.1.email",
    /is "bob"; allowed: an e-mail/,
  ],
  [
    "a member twice",
    () => planAcme({ members: [owner, { ...owner, email: "ADA@acme.test" }] }),
    "organizations.0.members.1.email",
    /listed before/,
  ],
  [
    "no owner left",
    () => planAcme({ members: [{ ...owner, role: "admin" }] }),
    "organizations.0.members",
    /without an owner/,
  ],
  ["a short key name", () => planAcme({ keys: [{ name: " a " }] }), "organizations.0.keys.0.name", /at least 3/],
  [
    "a key twice",
    () => planAcme({ keys: [{ name: "chat" }, { name: "chat" }] }),
    "organizations.0.keys.1.name",
    /listed before/,
  ],
  [
    "an unknown key",
    () => planAcme({ keys: [{ name: "chat", id: "key_9" }] }),
    "organizations.0.keys.0.id",
    /no such key/,
  ],
  [
    "another name for a key",
    () => planAcme({ keys: [{ name: "talk", id: "key_1" }] }),
    "organizations.0.keys.0.name",
    /key_1 is named "chat"/,
  ],
  [
    "an ambiguous key",
    () => planAcme({ keys: [{ name: "chat" }] }, { present: twins }),
    "organizations.0.keys.0.name",
    /2 keys have; give the id/,
  ],
  [
    "other permissions",
    () => planAcme({ keys: [{ name: "chat", permissions: "read" }] }),
    "organizations.0.keys.0.permissions",
    /can't change/,
  ],
  [
    "another owner of a key",
    () => planAcme({ keys: [{ name: "batch", member: "ada@acme.test" }] }),
    "organizations.0.keys.0.member",
    /can't change/,
  ],
  [
    "a stranger's key",
    () => planAcme({ keys: [{ name: "new", member: "eve@acme.test" }] }),
    "organizations.0.keys.0.member",
    /a member of the organization/,
  ],
  [
    "a key of a pruned member",
    () => planAcme({ members: [owner], keys: [{ name: "batch", member: "bob@acme.test" }] }, { prune: true }),
    "organizations.0.keys.0.member",
    /a member/,
  ],
  [
    "a budget of nobody",
    () => planAcme({ budgets: [{ scope: "key", limit: 1 }] }),
    "organizations.0.budgets.0",
    /needs the id/,
  ],
  [
    "a budget twice",
    () =>
      planAcme({
        budgets: [
          { scope: "key", id: "chat", limit: 1 },
          { scope: "key", id: "key_1", limit: 2 },
        ],
      }),
    "organizations.0.budgets.1",
    /listed before/,
  ],
  [
    "too many decimals",
    () => planAcme({ budgets: [{ scope: "response", limit: 1e-7 }] }),
    "organizations.0.budgets.0.limit",
    /six decimals/,
  ],
  [
    "a budget of a stranger",
    () => planAcme({ budgets: [{ scope: "member", id: "eve@acme.test", limit: 1 }] }),
    "organizations.0.budgets.0.id",
    /a member/,
  ],
  [
    "a budget of a pruned member",
    () => planAcme({ members: [owner], budgets: [{ scope: "member", id: "mem_2", limit: 1 }] }, { prune: true }),
    "organizations.0.budgets.0.id",
    /a member/,
  ],
  [
    "a budget of a pruned key",
    () => planAcme({ keys: [{ name: "chat" }], budgets: [{ scope: "key", id: "batch", limit: 1 }] }, { prune: true }),
    "organizations.0.budgets.0.id",
    /a key of the organization/,
  ],
  [
    "a budget of two keys",
    () => planAcme({ budgets: [{ scope: "key", id: "chat", limit: 1 }] }, { present: twins }),
    "organizations.0.budgets.0.id",
    /2 keys are named/,
  ],
];

for (const [what, read, place, predicate] of faults) {
  test(`${what} is a fault at ${place}`, () => {
    assert.throws(read, (error) => {
      assert.ok(error instanceof AccountsFileFault, String(error));
      assert.equal(error.place.join("."), place);
      assert.match(error.predicate, predicate);
      return true;
    });
  });
}
