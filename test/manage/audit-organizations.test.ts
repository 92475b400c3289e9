// The audit entries of organizations, their content, and the service. docs/management.md (The audit log)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../src/config/config.ts";
import { AUDIT_ACTIONS } from "../../src/contract/manage/audit-actions.ts";
import { TESTS } from "../support/actor.ts";
import { testModel } from "../support/service-config.ts";
import { auditedForFile, isOfMembers } from "./audited-changes.ts";

/** What a reload reads. */
let reread = async (started: Config) => started;

const audited = await auditedForFile({ reread: (started) => reread(started) });
const { managed, organizationId, path, seen, operator, change } = audited;

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
  [
    "a payment method",
    "POST",
    "payment-method",
    "payment_method.set",
    { payment_method: false },
    { payment_method: true },
  ],
  ["a plan", "POST", "plan", "plan.start", { plan: false }, { plan: true }],
  ["no plan", "DELETE", "plan", "plan.stop", { plan: true }, { plan: false }],
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
      { deny_models: ["test/small"], tool_calls_per_turn: 3, set_by: "operator" },
    ],
  ],
);
change(
  "an allowed model",
  () => operator("POST", `${path}/policy`, { allow_models: ["test/all"] }),
  () => [["policy.set", null, { allow_models: null }, { allow_models: ["test/all"], set_by: "operator" }]],
);
change(
  "a retention, set and given up",
  async () => {
    await operator("POST", `${path}/retention`, { days: 30 });
    await operator("POST", `${path}/retention`, { days: 30 });
    await operator("POST", `${path}/retention`, { days: null });
  },
  () => [
    ["retention.set", null, { days: null }, { days: 30, set_by: "operator" }],
    ["retention.set", null, { days: 30 }, { days: null, set_by: "operator" }],
  ],
);

change(
  "limits: only what changed",
  () =>
    operator("POST", `${path}/limits`, {
      create_per_minute: 1,
      retrieve_per_minute: 2,
      delete_per_minute: 3,
      tokens_per_minute: null,
      open_streams: null,
      concurrent_turns: null,
    }),
  () => [
    [
      "limits.set",
      null,
      { create_per_minute: null, retrieve_per_minute: null, delete_per_minute: null },
      { create_per_minute: 1, retrieve_per_minute: 2, delete_per_minute: 3, set_by: "operator" },
    ],
  ],
);
change(
  "credits",
  () => operator("POST", `${path}/credits`, { amount: 0.000001, transaction_id: "top_up" }),
  () => [["credits.add", "top_up", null, { amount: 0.000001 }]],
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
      return managed.store.logMove({ by, action, organizationId, keyId: "key_x", conversations: 2, items: 5 });
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

change(
  "a rotation of the root secret, with the beginnings of what tells the secrets apart",
  async () => {
    const [from = ""] = managed.service.secrets.checkValues;
    await managed.store.rotateRootSecret({ by: TESTS, from, to: "f".repeat(64) });
  },
  () => {
    const [from = ""] = managed.service.secrets.checkValues;
    return [["root_secret.rotate", null, { check: from.slice(0, 8) }, { check: "ffffffff" }]];
  },
  null,
);

test("that is every action not of members, keys, budgets, tokens, operators and sessions", () => {
  assert.deepEqual([...seen].sort(), AUDIT_ACTIONS.filter((action) => !isOfMembers(action)).sort());
});
