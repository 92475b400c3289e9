import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, KEY, plan, planAcme } from "../../../test/support/planned-accounts.ts";
import { AccountsFileFault } from "./account-change.ts";

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
    "too short a retention",
    () => planAcme({ retention_days: 1 }),
    "organizations.0.retention_days",
    /is 1; allowed here: 2 to 90, or null/,
  ],
  [
    "too long a retention",
    () => planAcme({ retention_days: 91 }),
    "organizations.0.retention_days",
    /is 91; allowed here: 2 to 90/,
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
