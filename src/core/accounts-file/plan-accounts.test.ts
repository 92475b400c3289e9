import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrganizationEntry } from "../../contract/manage/accounts-file.ts";
import { ACME, KEY, plan, planAcme } from "../../../test/support/planned-accounts.ts";
import { asAccountsFile } from "./as-file.ts";

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

test("a key's limits: what the file names changes, models by their full ids, the rest stays", () => {
  const present = { ...ACME, keys: [{ ...KEY, limits: { ...KEY.limits, create_per_minute: 5 } }] };
  const keys = [{ name: "chat", limits: { allow_models: ["test/c", "a"], tokens_per_minute: 9 } }];
  const { changes, unknownModels } = plan({ organizations: [{ name: "Acme", keys }] }, { present: [present] });
  const { limits } = present.keys[0] ?? KEY;
  const after = { ...KEY, limits: { ...limits, allow_models: ["test/c", "test/a"], tokens_per_minute: 9 } };
  const { id, name, ...values } = after;
  assert.deepEqual(
    changes.map((change) => [change.object, change.id, change.name, change.after]),
    [["key", id, name, values]],
  );
  assert.deepEqual(unknownModels, ["test/c"]);
  const again = { ...present, keys: [after] };
  assert.deepEqual(plan({ organizations: [{ name: "Acme", keys }] }, { present: [again] }).changes, []);
});
