// The audit entries of members, keys, budgets, tokens, operators and sessions. docs/management.md (The audit log)
import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIT_ACTIONS } from "../../src/contract/manage/audit-actions.ts";
import { auditedForFile, isOfMembers } from "./audited-changes.ts";
import { PASSWORD } from "./managed-service.ts";

const ids: Record<string, string> = {};

const audited = await auditedForFile();
const { managed, organizationId, path, member, seen, nowSeconds, operator, ask, toldOf, change } = audited;

change(
  "a new member",
  async () =>
    (ids["member"] = (await operator("POST", `${path}/members`, { email: "new@test.test", role: "member" })).id),
  () => [["member.add", ids["member"] ?? "", null, { email: "new@test.test", role: "member" }]],
);
change(
  "a member's role",
  () => operator("POST", `${path}/members/${ids["member"]}`, { role: "admin" }),
  () => [["member.role", ids["member"] ?? "", { role: "member" }, { role: "admin" }]],
);
change(
  "a sign-in link, without its secret",
  () => operator("POST", `${path}/members/${ids["member"]}/sign-in-link`),
  () => [["member.sign_in_link", ids["member"] ?? "", null, { expires_at: nowSeconds() + 24 * 3600 }]],
);

change(
  "a new key with its owner",
  async () =>
    (ids["key"] = (
      await operator("POST", `${path}/keys`, { name: "web app", member: "new@test.test", permissions: "read" })
    ).id),
  () => [
    [
      "key.create",
      ids["key"] ?? "",
      null,
      { name: "web app", member: ids["member"], permissions: "read", unanswered_calls: "refuse" },
    ],
  ],
);
change(
  "a key's default",
  () => operator("POST", `${path}/keys/${ids["key"]}`, { unanswered_calls: "drop" }),
  () => [["key.update", ids["key"] ?? "", { unanswered_calls: "refuse" }, { unanswered_calls: "drop" }]],
);
change(
  "a key's limits: only what changed",
  () => operator("POST", `${path}/keys/${ids["key"]}`, { allow_models: ["test/small"], tokens_per_minute: 9 }),
  () => [
    [
      "key.update",
      ids["key"] ?? "",
      { allow_models: null, tokens_per_minute: null },
      { allow_models: ["test/small"], tokens_per_minute: 9 },
    ],
  ],
);
change(
  "a key's new secret",
  () => operator("POST", `${path}/keys/${ids["key"]}/rotate`, { grace: "1h" }),
  () => [["key.rotate", ids["key"] ?? "", null, { old_secret_valid_until: nowSeconds() + 3600 }]],
);

change(
  "a new budget of a key",
  () => operator("POST", `${path}/budgets`, { scope: "key", id: ids["key"], period: "month", limit: 2 }),
  () => [
    [
      "budget.set",
      `key ${ids["key"]} month`,
      null,
      { scope: "key", id: ids["key"], period: "month", limit: 2, set_by: "operator" },
    ],
  ],
);
change(
  "another limit of a budget",
  () => operator("POST", `${path}/budgets`, { scope: "key", id: ids["key"], period: "month", limit: 2.5 }),
  () => [["budget.set", `key ${ids["key"]} month`, { limit: 2 }, { limit: 2.5, set_by: "operator" }]],
);
const UNTIL = Date.UTC(2026, 11, 24) / 1000;
change(
  "a budget raised for a while",
  () => {
    const body = { scope: "key", id: ids["key"], period: "month", amount: 1.5, until: UNTIL };
    return operator("POST", `${path}/budgets/raise`, body);
  },
  () => [
    [
      "budget.raise",
      `key ${ids["key"]} month`,
      { raise: null },
      { raise: { amount: 1.5, until: UNTIL }, set_by: "operator" },
    ],
  ],
);
change(
  "a declined request for more than a budget's limit",
  async () => {
    const caller = { organizationId, keyId: ids["key"] ?? "" };
    const of = { caller, scope: "key", period: "month" } as const;
    await managed.store.requestIncrease({ id: "inc_1", ...of, amountNano: 3_000_000_000n });
    await operator("POST", `${path}/budget-increases/inc_1/decline`);
  },
  () => [["budget.decline", `key ${ids["key"]} month`, { key: ids["key"], amount: 3 }, null]],
);
change(
  "no budget",
  () => operator("POST", `${path}/budgets/clear`, { scope: "key", id: ids["key"], period: "month" }),
  () => [
    ["budget.clear", `key ${ids["key"]} month`, { scope: "key", id: ids["key"], period: "month", limit: 2.5 }, null],
  ],
);
for (const [scope, target, period] of [
  ["organization", "organization total", "total"],
  ["organization-day", "organization-day", "day"],
  ["response", "response", "total"],
] as const) {
  change(
    `a budget of the scope ${scope}`,
    () => operator("POST", `${path}/budgets`, { scope, limit: 1 }),
    () => [["budget.set", target, null, { scope, id: null, period, limit: 1, set_by: "operator" }]],
  );
}

change(
  "a revoked key",
  () => operator("POST", `${path}/keys/${ids["key"]}/revoke`),
  () => [["key.revoke", ids["key"] ?? "", { revoked_at: null }, { revoked_at: nowSeconds() }]],
);
change(
  "a member who goes, with the member's budgets",
  async () => {
    const budget = { scope: "member", id: ids["member"] ?? "", period: "total" } as const;
    const by = { kind: "service", id: "tests" } as const;
    await managed.store.setBudget({ organizationId, name: budget, limitNano: 1_000_000_000n, by });
    await operator("DELETE", `${path}/members/${ids["member"]}`);
  },
  () => {
    const target = `member ${ids["member"]} total`;
    const values = { scope: "member", id: ids["member"], period: "total", limit: 1 };
    return [
      ["budget.set", target, null, { ...values, set_by: "organization" }],
      ["budget.clear", target, values, null],
      ["member.remove", ids["member"] ?? "", { email: "new@test.test", role: "admin" }, null],
    ];
  },
);

const UNLIMITED = { permissions: "all", expires_at: null };
change(
  "a token of an organization",
  async () =>
    (ids["token"] = (await operator("POST", `${path}/tokens`, { name: "of the organization", role: "admin" })).id),
  () => [["token.create", ids["token"] ?? "", null, { name: "of the organization", scope: "admin", ...UNLIMITED }]],
);
change(
  "a revoked token",
  () => operator("POST", `${path}/tokens/${ids["token"]}/revoke`),
  () => [["token.revoke", ids["token"] ?? "", { revoked_at: null }, { revoked_at: nowSeconds() }]],
);
change(
  "a token of the operator",
  async () => (ids["token"] = (await operator("POST", "/tokens", { name: "another operator" })).id),
  () => [["token.create", ids["token"] ?? "", null, { name: "another operator", scope: "operator", ...UNLIMITED }]],
  null,
);
test("sessions and passwords: who, and nothing more", async () => {
  const person = await managed.signedIn(member);
  const started = await managed.store.listAudit({ organizationId, before: null, limit: 3 });
  assert.deepEqual(
    started.map(({ action, target, before: was, after: is }) => [action, was, is, target === member.id]),
    [
      ["session.start", null, null, false],
      ["member.password", null, null, true],
      ["member.sign_in_link", null, { expires_at: nowSeconds() + 1 }, true],
    ],
  );
  assert.deepEqual(started[0]?.by, { kind: "member", id: member.id });
  assert.deepEqual(started[1]?.by, { kind: "member", id: member.id });
  const session = started[0]?.target ?? "";
  assert.deepEqual(await toldOf(() => ask(person, "DELETE", "/session")), [["session.end", session, null, null]]);
  const other = await managed.signedIn(member);
  const passwords = { current_password: PASSWORD, new_password: "another long password" };
  assert.deepEqual(await toldOf(() => ask(other, "POST", "/session/password", passwords)), [
    ["member.password", member.id, null, null],
  ]);
  for (const action of ["session.start", "session.end", "member.password"] as const) seen.add(action);
});

test("an identity at a provider of single sign-on, with the role it gives", async () => {
  const identity = { issuer: "https://login.test", subject: "s1" };
  const session = {
    id: "ses_sso",
    hash: "h_sso",
    lifetime: { idleMs: 1000, absoluteMs: 1000 },
    address: null,
    userAgent: null,
  };
  const email = "admin@test.test";
  const by = { kind: "service", id: "single sign-on" } as const;
  const start = {
    by,
    organizationId,
    identity,
    email,
    role: "member",
    mayAdd: false,
    newMemberId: "mem_new",
    createdAt: 1,
    session,
  } as const;
  assert.deepEqual(await toldOf(() => managed.store.startSessionByIdentity(start)), [
    ["member.identity", member.id, null, identity],
    ["member.role", member.id, { role: "admin" }, { role: "member" }],
    ["session.start", "ses_sso", null, null],
  ]);
  seen.add("member.identity");
});

test("an operator's link and session: the operator is named", async () => {
  const body = { name: "Ada" };
  assert.deepEqual(await toldOf(() => operator("POST", "/operators/sign-in-link", body), null), [
    ["operator.sign_in_link", "Ada", null, { expires_at: nowSeconds() + 15 * 60 }],
  ]);
  const person = await managed.operatorSession("Grace");
  const [started] = await managed.store.listAudit({ organizationId: null, before: null, limit: 1 });
  assert.deepEqual([started?.action, started?.by], ["session.start", { kind: "operator", id: "Grace" }]);
  await ask(person, "POST", path, { name: "Renamed again" });
  const [renamed] = await managed.store.listAudit({ organizationId, before: null, limit: 1 });
  assert.deepEqual([renamed?.action, renamed?.by], ["organization.rename", { kind: "operator", id: "Grace" }]);
  assert.deepEqual(await toldOf(() => ask(person, "DELETE", "/session"), null), [
    ["session.end", started?.target ?? "", null, null],
  ]);
  seen.add("operator.sign_in_link");
});

test("that is every action of members, keys, budgets, tokens, operators and sessions", () => {
  assert.deepEqual([...seen].sort(), AUDIT_ACTIONS.filter(isOfMembers).sort());
});
