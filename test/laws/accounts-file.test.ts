// A file of accounts: whatever there is, after applying it nothing is left to change, and the accounts exported are the file.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountsFile, OrganizationEntry } from "../../src/contract/manage/accounts-file.ts";
import { MEMBER_ROLES, type MemberRole } from "../../src/contract/manage/roles.ts";
import { BUDGET_PERIODS } from "../../src/contract/money.ts";
import { asAccountsFile } from "../../src/core/accounts-file/as-file.ts";
import { planAccounts } from "../../src/core/accounts-file/plan-accounts.ts";
import { type CallIn, createAccountChanger, readAccounts } from "../../src/manage/accounts-file.ts";
import type { Organization } from "../../src/ports/store/accounts.ts";
import { TESTS } from "../support/actor.ts";
import fc from "../support/fast-check.ts";
import { serviceForFile } from "../support/service.ts";
import { runSql } from "../support/tables.ts";

const service = await serviceForFile();

const catalog = { find: () => undefined };
const some = <Value>(values: readonly Value[]) => fc.subarray([...values]);

/** Names that meet again in the next file. */
const PEOPLE = ["ada@acme.test", "bob@acme.test", "eve@acme.test"];
const KEYS = ["chat", "batch", "evaluation"];
const MODELS = ["test/a", "test/b", "test/c"];

const policy = fc.record(
  {
    allow_models: fc.option(some(MODELS), { nil: null }),
    deny_models: some(MODELS),
    tool_calls_per_turn: fc.option(fc.nat(3), { nil: null }),
  },
  { requiredKeys: [] },
);
const limits = fc.record(
  {
    create_per_minute: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    open_streams: fc.nat(3),
    tokens_per_minute: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    concurrent_turns: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  },
  { requiredKeys: [] },
);
const keyLimits = fc.record(
  {
    allow_models: fc.option(some(MODELS), { nil: null }),
    tokens_per_minute: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  },
  { requiredKeys: [] },
);
const limit = fc.nat(4).map((credits) => credits / 1_000);

const lists = fc.tuple(some(PEOPLE), some(KEYS)).chain(([people, names]) =>
  fc.record({
    // An organization that has an owner keeps one.
    members: fc
      .tuple(...people.map(() => fc.constantFrom<MemberRole>(...MEMBER_ROLES)))
      .map((roles) => [
        { email: "owner@acme.test", role: "owner" as const },
        ...people.map((email, at) => ({ email, role: roles[at] ?? ("member" as const) })),
      ]),
    keys: fc
      .tuple(
        ...names.map(() =>
          fc.record(
            { unanswered_calls: fc.constantFrom<"refuse" | "drop">("refuse", "drop"), limits: keyLimits },
            { requiredKeys: [] },
          ),
        ),
      )
      .map((given) => names.map((name, at) => ({ name, ...given[at] }))),
    budgets: fc.uniqueArray(
      fc.oneof(
        fc.record({ scope: fc.constant("organization" as const), period: fc.constantFrom(...BUDGET_PERIODS), limit }),
        fc.record({ scope: fc.constant("response" as const), limit }),
        fc.record({
          scope: fc.constant("member" as const),
          id: fc.constantFrom("owner@acme.test", ...people),
          period: fc.constantFrom(...BUDGET_PERIODS),
          limit,
        }),
        ...(names.length === 0
          ? []
          : [fc.record({ scope: fc.constant("key" as const), id: fc.constantFrom(...names), limit })]),
      ),
      { maxLength: 5, selector: (budget) => JSON.stringify({ ...budget, limit: 0 }) },
    ),
  }),
);

const entry: fc.Arbitrary<Omit<OrganizationEntry, "name">> = fc
  .tuple(
    fc.record(
      {
        plan: fc.boolean(),
        payment_method: fc.boolean(),
        suspended: fc.boolean(),
        retention_days: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
        policy,
        limits,
      },
      { requiredKeys: [] },
    ),
    lists,
  )
  // A plan needs a payment method.
  .map(([values, inside]) => ({ ...values, ...(values.plan === true ? { payment_method: true } : {}), ...inside }))
  .map((values) => values as Omit<OrganizationEntry, "name">);

const callIn: CallIn = (organizationId) => async (operation, input) => {
  const { store, clock } = service.manageServices;
  const organization = organizationId === null ? null : await store.findOrganization({ idOrName: organizationId });
  const context = {
    ...service.manageServices,
    manageOrigin: "http://manage.test",
    by: TESTS,
    role: "operator" as const,
    session: null,
    organization,
    nowMs: clock.nowMs(),
    limits: service.manageServices.limits,
    mayBlockWrites: true,
    catalog: async () => service.manageServices.modelSet().catalog,
    afterDeletion: async (deleted: Organization) => deleted,
  };
  return operation.run(context, input);
};

async function plan(file: AccountsFile, prune: boolean) {
  const present = await readAccounts(callIn, file);
  return { present, ...planAccounts({ file, present, catalog, retention: { minimum: 1, maximum: 90 }, prune }) };
}

async function apply(file: AccountsFile, prune: boolean) {
  const { present, changes } = await plan(file, prune);
  const changer = createAccountChanger(callIn, present);
  const secrets: string[] = [];
  for (const change of changes) {
    const key = await changer.make(change);
    if (key !== null) secrets.push(key.secret);
  }
  return { changes, secrets };
}

/** Spends credits, as turns do. */
async function spend(organizationId: string, nano: number): Promise<void> {
  const sql = `update balances set credits_nano = credits_nano - ${nano}, charged_nano = charged_nano + ${nano} where organization_id = :organizationId`;
  await runSql(service, sql, { organizationId });
  // The store keeps what it has read until its next commit.
  await service.store.updateOrganization({ by: TESTS, organizationId, paymentMethod: true, setBy: "operator" });
}

let runs = 0;

test("after a file is applied to what another one made, nothing is left to change", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 2, maxLength: 2 }), fc.boolean(), async (entries, prune) => {
      const name = `Declared ${++runs}`;
      for (const given of entries) {
        const file: AccountsFile = { organizations: [{ name, ...given }] };
        // Without prune a budget may name a key or member of the file before.
        const { changes, secrets } = await apply(file, prune);
        assert.equal(
          secrets.length,
          changes.filter(({ object, action }) => `${object} ${action}` === "key create").length,
        );
        assert.deepEqual((await plan(file, prune)).changes, []);
        assert.deepEqual((await apply(file, prune)).changes, []);
        if (!prune) continue;
        const [made] = asAccountsFile(await readAccounts(callIn, file)).organizations.filter(
          (each) => each.name === name,
        );
        const counts = (of: OrganizationEntry | undefined) => [
          of?.members?.length,
          of?.keys?.length,
          of?.budgets?.length,
        ];
        assert.deepEqual(counts(made), counts(file.organizations[0]));
      }
      const whole = asAccountsFile(await readAccounts(callIn, null));
      assert.deepEqual((await plan(whole, true)).changes, []);
    }),
    { numRuns: 8 },
  );
});

test("a change made by hand shows in the plan, and applying the file undoes it", async () => {
  const file: AccountsFile = {
    organizations: [
      {
        name: "By hand",
        plan: true,
        payment_method: true,
        keys: [{ name: "chat" }],
        budgets: [{ scope: "key", id: "chat", limit: 5 }],
      },
    ],
  };
  await apply(file, false);
  const { present } = await plan(file, false);
  const organization = present.find(({ values }) => values.name === "By hand");
  const key = organization?.keys[0];
  assert.ok(organization !== undefined && key !== undefined);
  await service.store.updateOrganization({ by: TESTS, organizationId: organization.id, plan: false });
  await service.store.revokeKey({ by: TESTS, keyId: key.id, revokedAt: 2 });
  const { changes } = await plan(file, false);
  assert.deepEqual(
    changes.map(({ object, action, before }) => [object, action, before]),
    [
      ["organization", "change", { plan: false }],
      ["key", "create", null],
      ["budget", "create", null],
    ],
  );
  await apply(file, false);
  assert.deepEqual((await plan(file, false)).changes, []);
});

test("of two that apply a file at once, one adds credits, and a lack that comes back is filled again", async () => {
  const file = { organizations: [{ name: "Funded", credits: { at_least: 10 } }] };
  await apply({ organizations: [{ name: "Funded" }] }, false);
  const both = await Promise.all([plan(file, false), plan(file, false)]);
  await Promise.all(
    both.map(async ({ present, changes }) => {
      for (const change of changes) await createAccountChanger(callIn, present).make(change);
    }),
  );
  const find = async () => service.store.findOrganization({ idOrName: "Funded" });
  const id = (await find())?.id ?? "";
  assert.equal((await find())?.creditsNano, 10_000_000_000n);
  for (const _ of ["first", "second"]) {
    await spend(id, 4_000_000_000);
    assert.equal((await apply(file, false)).changes.length, 1);
    assert.equal((await find())?.creditsNano, 10_000_000_000n);
  }
});

test("each change is in the audit log, with its actor and without the secret", async () => {
  const file: AccountsFile = {
    organizations: [{ name: "Audited", members: [{ email: "a@b.test", role: "owner" }], keys: [{ name: "chat" }] }],
  };
  const { secrets } = await apply(file, false);
  const { present } = await plan(file, false);
  const organizationId = present.find(({ values }) => values.name === "Audited")?.id ?? "";
  const entries = await service.store.listAudit({ organizationId, before: null, limit: 50 });
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["key.create", "member.add", "organization.create"],
  );
  assert.ok(entries.every(({ by }) => by.id === TESTS.id));
  assert.ok(!JSON.stringify(entries).includes(secrets[0] ?? ""));
  assert.equal((await apply(file, false)).changes.length, 0);
});
