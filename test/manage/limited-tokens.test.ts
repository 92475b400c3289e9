// Tokens that only read, and tokens that expire.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "../../src/manage/operations.ts";
import { runSql } from "../support/tables.ts";
import { type Identity, managedForFile } from "./managed-service.ts";

const managed = await managedForFile();
const organizationId = await managed.newOrganization();
const READ = { permissions: "read", expiresAt: null } as const;
/** Within a token's lifetime. */
const HOUR_MS = 3_600_000;

const nowSeconds = () => Math.floor(managed.service.clock.nowMs() / 1000);
const statusOf = async (who: Identity) => (await managed.ask(who, "GET", "/session")).status;

const SIGNED_IN = OPERATIONS.filter(({ scope }) => scope !== "public" && scope !== "key");
const pathOf = (path: string) => path.replace(":organization_id", organizationId).replaceAll(/:\w+/g, "nowhere");

test("a read-only token is denied every operation that changes something, and no other", async () => {
  const reader = await managed.newProgram(null, null, READ);
  for (const { name: operation, method, path } of SIGNED_IN) {
    const { status, json } = await managed.ask(reader, method, pathOf(path));
    if (method === "GET") {
      assert.equal(status, (await managed.ask(managed.operator, method, pathOf(path))).status, operation);
    } else {
      assert.deepEqual([status, json.error.code], [403, "access_denied"], operation);
      assert.match(json.error.message, /^The token is read-only/, operation);
    }
  }
});

test("a read-only token of an organization has the reads of its role there, and no others", async () => {
  const reader = await managed.newProgram(organizationId, "member", READ);
  const ask = async (path: string) => (await managed.ask(reader, "GET", path)).status;
  assert.equal(await ask(`/organizations/${organizationId}/keys`), 200);
  assert.equal(await ask(`/organizations/${organizationId}/budgets`), 403);
  assert.equal(await ask(`/organizations/${await managed.newOrganization()}/keys`), 404);
});

test("a token is valid until it expires, by the store's clock", async () => {
  const expires_at = nowSeconds() + 60;
  const { json } = await managed.ask(managed.operator, "POST", "/tokens", {
    body: { name: "for a minute", expires_at },
  });
  const program = { token: json.secret };
  assert.equal((await managed.ask(program, "GET", "/session")).json.expires_at, expires_at);
  managed.service.clock.advance(59_000);
  assert.equal(await statusOf(program), 200);
  managed.service.clock.advance(1000);
  const expired = await managed.ask(program, "GET", "/session");
  assert.deepEqual([expired.status, expired.json.error.code], [401, "invalid_api_key"]);
  assert.match(expired.json.error.message, /expired/);
});

test("what limits a token is listed, shown to itself and recorded", async () => {
  const expires_at = nowSeconds() + HOUR_MS / 1000;
  const path = `/organizations/${organizationId}/tokens`;
  const body = { name: "nightly plan", role: "admin", permissions: "read", expires_at };
  const made = (await managed.ask(managed.operator, "POST", path, { body })).json;
  const { data } = (await managed.ask(managed.operator, "GET", path)).json;
  const listed = data.find(({ id }: { id: string }) => id === made.id);
  assert.deepEqual([listed.permissions, listed.expires_at, listed.revoked_at], ["read", expires_at, null]);
  const session = (await managed.ask({ token: made.secret }, "GET", "/session")).json;
  assert.deepEqual([session.role, session.permissions, session.expires_at], ["admin", "read", expires_at]);
  const [entry] = (await managed.ask(managed.operator, "GET", `/organizations/${organizationId}/audit?limit=1`)).json
    .data;
  assert.deepEqual(entry.after, { name: "nightly plan", scope: "admin", permissions: "read", expires_at });
});

test("an end that has passed is no end, and an unknown permission none", async () => {
  for (const [param, value] of [
    ["expires_at", nowSeconds()],
    ["expires_at", 1.5],
    ["permissions", "none"],
  ] as const) {
    const body = { name: "too late", [param]: value };
    const { status, json } = await managed.ask(managed.operator, "POST", "/tokens", { body });
    assert.deepEqual([status, json.error.param], [400, param]);
  }
});

test("a release that knows no limits finds no limited token, and every other one", async () => {
  const formerFinds = async () =>
    (await runSql(managed.service, "select name from admin_tokens where lookup not like 'limited %'")).map(
      ({ name }) => name,
    );
  const before = await formerFinds();
  const create = (body: object) => managed.ask(managed.operator, "POST", "/tokens", { body });
  await create({ name: "reader", permissions: "read" });
  await create({ name: "short-lived", expires_at: nowSeconds() + 60 });
  assert.deepEqual(await formerFinds(), before);
  await create({ name: "unlimited", permissions: "all", expires_at: null });
  assert.deepEqual(await formerFinds(), [...before, "unlimited"]);
});
