import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, plan, planAcme } from "../../../test/support/planned-accounts.ts";
import { AccountsFileFault } from "./account-change.ts";
import { lackOf } from "./plan-credits.ts";

test("a balance that is lower than the file wants is raised, any other one stays", () => {
  const [change, ...others] = planAcme({ credits: { at_least: 12.5 } }).changes;
  assert.deepEqual(others, []);
  assert.deepEqual(change, {
    object: "credits",
    action: "change",
    organization: "Acme",
    id: "org_1",
    name: "Acme",
    before: { balance: ACME.balance },
    after: { balance: 12.5 },
  });
  for (const at_least of [0, ACME.balance - 1, ACME.balance]) {
    assert.deepEqual(planAcme({ credits: { at_least } }).changes, []);
  }
  assert.deepEqual(planAcme({}).changes, []);
});

test("a new organization gets its credits before its members, keys and budgets", () => {
  const { changes } = plan({
    organizations: [{ name: "New", credits: { at_least: 3 }, members: [{ email: "ada@new.test", role: "owner" }] }],
  });
  assert.deepEqual(
    changes.map(({ object, id, before }) => [object, id, before]),
    [
      ["organization", null, null],
      ["credits", null, { balance: 0 }],
      ["member", null, null],
    ],
  );
});

test("an amount of more than six decimals is a fault at its place", () => {
  assert.throws(
    () => planAcme({ credits: { at_least: 0.0000001 } }),
    (error) => error instanceof AccountsFileFault && error.place.join(".") === "organizations.0.credits.at_least",
  );
});

/** Balance, wanted, lack. */
const LACKS = [
  [3.1, 10, 6.9],
  [0.1, 0.3, 0.2],
  [3.123456789, 10, 6.876544],
  [9.999999999, 10, 0.000001],
  [10, 10, 0],
  [10.000000001, 10, 0],
  [-0.5, 1, 1.5],
  [-0.000000001, 0, 0.000001],
  [0, 1_000_000_000, 1_000_000_000],
] as const;

test("what is lacking is exact, rounded up to a millionth", () => {
  for (const [balance, wanted, lack] of LACKS) assert.equal(lackOf(balance, wanted), lack, `${balance} ${wanted}`);
});
