// The audit entry of each change: its target, and the values before and after. docs/management.md (The audit log)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../src/config/config.ts";
import { testModel } from "../support/service-config.ts";
import { TESTS } from "../support/actor.ts";
import { type AuditAction, AUDIT_ACTIONS } from "../../src/contract/manage/audit-actions.ts";
import { type Identity, managedForFile, PASSWORD } from "./managed-service.ts";

/** What a reload reads. */
let reread = async (started: Config) => started;
const ids: Record<string, string> = {};

const managed = await managedForFile({ reread: (started) => reread(started) });
const organizationId = await managed.newOrganization();
const path = `/organizations/${organizationId}`;
await managed.newMember(organizationId, "owner");
const member = await managed.newMember(organizationId, "admin", "admin@test.test");

const nowSeconds = () => Math.floor(managed.service.clock.nowMs() / 1000);
const operator = (method: string, route: string, body?: object) => ask(managed.operator, method, route, body);

async function ask(who: Identity, method: string, route: string, body?: object) {
  const { status, json, text } = await managed.ask(who, method, route, body === undefined ? {} : { body });
  assert.equal(status, 200, text);
  return json;
}

/** An entry without what every entry has. */
type Told = readonly [action: AuditAction, target: string | null, before: object | null, after: object | null];

/** The entries that a change adds, oldest first; each must name the organization it is about. */
async function toldOf(deed: () => Promise<unknown>, of: string | null = organizationId): Promise<readonly Told[]> {
  const [last] = await managed.store.listAudit({ organizationId: null, before: null, limit: 1 });
  await deed();
  const entries = await managed.store.listAudit({ organizationId: null, before: null, limit: 20 });
  const added = entries.filter(({ id }) => id > (last?.id ?? 0)).toReversed();
  for (const entry of added) assert.deepEqual([entry.organizationId, entry.atMs], [of, managed.service.clock.nowMs()]);
  return added.map(({ action, target, before: was, after: is }) => [action, target, was, is]);
}

const seen = new Set<AuditAction>();

/** A change, and what the log is to say of it; both may use ids of earlier ones. */
function change(name: string, deed: () => Promise<unknown>, expected: () => readonly Told[], of?: null): void {
  test(name, async () => {
    const told = await toldOf(deed, of === null ? null : organizationId);
    assert.deepEqual(told, expected());
    for (const [action] of told) seen.add(action);
  });
}

test("an organization is created, and with credits gets a plan and a payment method", async () => {
  const told = async (body: object) => {
    const { id } = await operator("POST", "/organizations", body);
    const added = await managed.store.listAudit({ organizationId: id, before: null, limit: 20 });
    for (const { action } of added) seen.add(action);
    return added.toReversed().map(({ action, before: was, after: is }) => [action, was, is]);
  };
  assert.deepEqual(await told({ name: "Bare" }), [["organization.create", null, { name: "Bare" }]]);
  assert.deepEqual(await told({ name: "Funded", credits: 2.5 }), [
    ["organization.create", null, { name: "Funded" }],
    ["plan.start", { plan: false }, { plan: true }],
    ["payment_method.set", { payment_method: false }, { payment_method: true }],
    ["credits.add", null, { amount: 2.5 }],
  ]);
});

change(
  "a name",
  () => operator("POST", path, { name: "Renamed" }),
  () => [["organization.rename", null, { name: "Managed 1" }, { name: "Renamed" }]],
);

for (const [name, method, route, action, was, is] of [
  ["suspended", "POST", "suspend", "organization.suspend", { suspended: false }, { suspended: true }],
  ["resumed", "POST", "resume", "organization.resume", { suspended: true }, { suspended: false }],
  ["a plan", "POST", "plan", "plan.start", { plan: false }, { plan: true }],
  ["no plan", "DELETE", "plan", "plan.stop", { plan: true }, { plan: false }],
  [
    "a payment method",
    "POST",
    "payment-method",
    "payment_method.set",
    { payment_method: false },
    { payment_method: true },
  ],
  [
    "no payment method",
    "DELETE",
    "payment-method",
    "payment_method.clear",
    { payment_method: true },
    { payment_method: false },
  ],
] as const) {
  change(
    name,
    () => operator(method, `${path}/${route}`),
    () => [[action, null, was, is]],
  );
}

change(
  "a policy: only what changed",
  () => operator("POST", `${path}/policy`, { deny_models: ["test/small"], tool_calls_per_turn: 3 }),
  () => [
    [
      "policy.set",
      null,
      { deny_models: [], tool_calls_per_turn: null },
      { deny_models: ["test/small"], tool_calls_per_turn: 3 },
    ],
  ],
);
change(
  "an allowed model",
  () => operator("POST", `${path}/policy`, { allow_models: ["test/all"] }),
  () => [["policy.set", null, { allow_models: null }, { allow_models: ["test/all"] }]],
);
change(
  "a retention, set and given up",
  async () => {
    await operator("POST", `${path}/retention`, { days: 30 });
    await operator("POST", `${path}/retention`, { days: 30 });
    await operator("POST", `${path}/retention`, { days: null });
  },
  () => [
    ["retention.set", null, { days: null }, { days: 30 }],
    ["retention.set", null, { days: 30 }, { days: null }],
  ],
);

change(
  "limits: only what changed",
  () =>
    operator("POST", `${path}/limits`, {
      create_per_minute: 1,
      retrieve_per_minute: 2,
      delete_per_minute: 3,
      open_streams: null,
    }),
  () => [
    [
      "limits.set",
      null,
      { create_per_minute: null, retrieve_per_minute: null, delete_per_minute: null },
      { create_per_minute: 1, retrieve_per_minute: 2, delete_per_minute: 3 },
    ],
  ],
);
change(
  "credits",
  () => operator("POST", `${path}/credits`, { amount: 0.000001, transaction_id: "top_up" }),
  () => [["credits.add", "top_up", null, { amount: 0.000001 }]],
);

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
  "a key's new secret",
  () => operator("POST", `${path}/keys/${ids["key"]}/rotate`, { grace: "1h" }),
  () => [["key.rotate", ids["key"] ?? "", null, { old_secret_valid_until: nowSeconds() + 3600 }]],
);

change(
  "a new budget of a key",
  () => operator("POST", `${path}/budgets`, { scope: "key", id: ids["key"], period: "month", limit: 2 }),
  () => [["budget.set", `key ${ids["key"]} month`, null, { scope: "key", id: ids["key"], period: "month", limit: 2 }]],
);
change(
  "another limit of a budget",
  () => operator("POST", `${path}/budgets`, { scope: "key", id: ids["key"], period: "month", limit: 2.5 }),
  () => [["budget.set", `key ${ids["key"]} month`, { limit: 2 }, { limit: 2.5 }]],
);
const UNTIL = Date.UTC(2026, 11, 24) / 1000;
change(
  "a budget raised for a while",
  () => {
    const body = { scope: "key", id: ids["key"], period: "month", amount: 1.5, until: UNTIL };
    return operator("POST", `${path}/budgets/raise`, body);
  },
  () => [["budget.raise", `key ${ids["key"]} month`, { raise: null }, { raise: { amount: 1.5, until: UNTIL } }]],
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
    () => [["budget.set", target, null, { scope, id: null, period, limit: 1 }]],
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
      ["budget.set", target, null, values],
      ["budget.clear", target, values, null],
      ["member.remove", ids["member"] ?? "", { email: "new@test.test", role: "admin" }, null],
    ];
  },
);

change(
  "a token of an organization",
  async () =>
    (ids["token"] = (await operator("POST", `${path}/tokens`, { name: "of the organization", role: "admin" })).id),
  () => [["token.create", ids["token"] ?? "", null, { name: "of the organization", scope: "admin" }]],
);
change(
  "a revoked token",
  () => operator("POST", `${path}/tokens/${ids["token"]}/revoke`),
  () => [["token.revoke", ids["token"] ?? "", { revoked_at: null }, { revoked_at: nowSeconds() }]],
);
change(
  "a token of the operator",
  async () => (ids["token"] = (await operator("POST", "/tokens", { name: "another operator" })).id),
  () => [["token.create", ids["token"] ?? "", null, { name: "another operator", scope: "operator" }]],
  null,
);
test("a deleted organization: its deletion, the redaction of what came before, and the end of its erasure", async () => {
  const id = await managed.newOrganization();
  const { name } = await operator("GET", `/organizations/${id}`);
  await operator("POST", `/organizations/${id}/delete`, { confirm: name });
  await managed.store.eraseOrganization({ by: TESTS, organizationId: id, batch: 100, mayBlockWrites: false });
  const entries = (await managed.store.listAudit({ organizationId: id, before: null, limit: 20 })).toReversed();
  for (const { action } of entries) seen.add(action);
  assert.deepEqual(
    entries.map(({ action, before: was, after: is, isRedacted }) => [action, was, is === null, isRedacted]),
    [
      ["organization.create", null, true, true],
      ["organization.delete", null, true, false],
      ["organization.redact", null, false, false],
      ["organization.erase", null, true, false],
    ],
  );
  const { first_id, last_id, entries: count, intact } = entries[2]?.after ?? {};
  assert.deepEqual([first_id, last_id, count, intact], [entries[0]?.id, entries[0]?.id, 1, true]);
});

change(
  "an export of the organization's data, with the number of lines",
  () => managed.store.logExport({ by: TESTS, organizationId, lines: { member: 2 } }),
  () => [["organization.export", null, null, { lines: { member: 2 } }]],
);
change(
  "an erasure, with the number of rows",
  async () => {
    const conversation = await managed.service.request("POST", "/v1/conversations", { body: {} });
    await managed.service.request("DELETE", `/v1/conversations/${conversation.json.id}`);
    await operator("POST", "/erase", { older_than_days: 0 });
  },
  () => [["content.erase", null, null, { older_than_days: 0, rows: 1 }]],
  null,
);

for (const action of ["conversation.export", "conversation.import"] as const) {
  change(
    `conversations that move, with their number: ${action}`,
    () => {
      const by = { kind: "service", id: "tests" } as const;
      return managed.store.logTransfer({ by, action, organizationId, keyId: "key_x", conversations: 2, items: 5 });
    },
    () => [[action, "key_x", null, { conversations: 2, items: 5 }]],
  );
}

change(
  "a reload of the configuration, with the names of what differs",
  async () => {
    reread = async (started) => ({ ...started, models: [...started.models, testModel("test/new")], port: 4711 });
    await operator("POST", "/configuration/reload");
  },
  () => [
    [
      "configuration.reload",
      managed.services.self.name,
      null,
      { changed: ["models.test/new"], needs_restart: ["server.port"] },
    ],
  ],
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

test("that is every action there is", () => {
  assert.deepEqual([...seen].sort(), [...AUDIT_ACTIONS].sort());
});
