// The audit log, written and shown by the management interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyAudit } from "../../src/flows/accounts/verify-audit.ts";
import { managedForFile } from "./managed-service.ts";

const managed = await managedForFile();

interface Shown {
  readonly id: number;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly before: unknown;
  readonly after: unknown;
}

test("every change adds one entry with its actor; reads, errors and requests that change nothing add none", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}`;
  const member = await managed.newMember(organizationId, "owner");
  const owner = await managed.signedIn(member);
  const list = async (): Promise<readonly Shown[]> =>
    (await managed.ask(owner, "GET", `${path}/audit?limit=500`)).json.data;
  const known = (await list()).length;

  await managed.ask(owner, "POST", `${path}/plan`);
  await managed.ask(owner, "POST", `${path}/payment-method`);
  await managed.ask(owner, "POST", `${path}/plan`);
  await managed.ask(owner, "POST", `${path}/plan`);
  await managed.ask(owner, "POST", `${path}/credits`, { body: { amount: 1 } });
  await managed.ask(owner, "POST", `${path}/keys`, { body: { name: "x" } });
  const key = (await managed.ask(owner, "POST", `${path}/keys`, { body: { name: "web app" } })).json;
  await managed.ask(owner, "POST", `${path}/keys/${key.id}/rotate`, { body: { grace: "24h" } });
  await managed.ask(owner, "POST", `${path}/budgets`, { body: { scope: "key", id: key.id, limit: 2 } });
  await managed.ask(managed.operator, "POST", `${path}/limits`, { body: { open_streams: 9 } });
  await managed.ask(managed.operator, "POST", `${path}/credits`, { body: { amount: 1, transaction_id: "t" } });
  await managed.ask(managed.operator, "POST", `${path}/credits`, { body: { amount: 1, transaction_id: "t" } });

  const entries = (await list()).slice(0, -known);
  assert.deepEqual(
    entries.map(({ action, actor }) => `${action} by a ${actor.kind}`),
    [
      "credits.add by a token",
      "limits.set by a token",
      "budget.set by a member",
      "key.rotate by a member",
      "key.create by a member",
      "plan.start by a member",
      "payment_method.set by a member",
    ],
  );
  assert.equal(entries.at(-1)?.actor.id, member.id);
  assert.deepEqual(
    [entries[1]?.before, entries[1]?.after],
    [{ open_streams: null }, { open_streams: 9, set_by: "operator" }],
  );
  assert.doesNotMatch(JSON.stringify(await list()), /sk_|adm_|argon2/);
});

test("pages lead back to the first entry; the operator sees the entries of every organization", async () => {
  const ids: number[] = [];
  let behind = "";
  for (let more = true; more; ) {
    const { json } = await managed.ask(managed.operator, "GET", `/audit?limit=3${behind}`);
    ids.push(...json.data.map(({ id }: Shown) => id));
    assert.equal(json.older, json.has_more ? ids.at(-1) : null);
    behind = `&before=${ids.at(-1)}`;
    more = json.has_more;
  }
  assert.deepEqual(
    ids,
    Array.from({ length: ids.length }, (_, index) => ids.length - index),
  );
  assert.ok(ids.length > 8);
});

test("entries are found by action, actor and target, of one organization and of all", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}`;
  const member = await managed.newMember(organizationId, "owner");
  const owner = await managed.signedIn(member);
  const key = (await managed.ask(owner, "POST", `${path}/keys`, { body: { name: "web app" } })).json;
  await managed.ask(owner, "POST", `${path}/budgets`, { body: { scope: "key", id: key.id, limit: 2 } });
  await managed.ask(managed.operator, "POST", `${path}/keys/${key.id}/revoke`);
  for (const log of [`${path}/audit`, "/audit"]) {
    const found = async (query: string) => {
      const { status, json } = await managed.ask(managed.operator, "GET", `${log}?${query}`);
      assert.deepEqual([status, json.has_more, json.older], [200, false, null], query);
      return json.data.map(({ action }: Shown) => action);
    };
    const email = encodeURIComponent(member.email.toUpperCase());
    assert.deepEqual(await found(`target=${key.id}`), ["key.revoke", "budget.set", "key.create"]);
    assert.deepEqual(await found(`target=${key.id}&actor=${member.id}`), ["budget.set", "key.create"]);
    assert.deepEqual(await found(`target=${key.id}&actor=${email}&action=key.create`), ["key.create"]);
    assert.deepEqual(await found(`target=${key.id}&action=key.rotate`), []);
    const nowSeconds = Math.floor(managed.service.clock.nowMs() / 1000);
    assert.deepEqual(await found(`target=${key.id}&action=key.create&from=${nowSeconds - 60}`), ["key.create"]);
    assert.deepEqual(await found(`target=${key.id}&to=${nowSeconds - 60}`), []);
    assert.deepEqual(await found(`target=${key.id}&from=${nowSeconds + 60}`), []);
    assert.deepEqual(await found("actor=%00&target=%F0%9F"), []);
    const { json } = await managed.ask(managed.operator, "GET", `${log}?target=${key.id}&limit=2`);
    assert.deepEqual([json.data.length, json.has_more, json.older], [2, true, json.data[1].id]);
    assert.deepEqual(await found(`target=${key.id}&limit=2&before=${json.older}`), ["key.create"]);
  }
});

test("the chain is intact after all these changes", async () => {
  const { brokenAt, checked, head } = await verifyAudit(managed.store, null);
  assert.equal(brokenAt, null);
  assert.ok(checked > 8);
  assert.equal((await verifyAudit(managed.store, head)).hasExpected, true);
  assert.equal((await verifyAudit(managed.store, "0".repeat(64))).hasExpected, false);
});

test("the operator can verify the chain, also against an earlier head", async () => {
  const check = (query: string) => managed.ask(managed.operator, "GET", `/audit/verification${query}`);
  const { json } = await check("");
  assert.deepEqual([json.broken_at, json.has_head], [null, null]);
  assert.ok(json.checked > 8);
  await managed.newOrganization();
  assert.equal((await check(`?head=${json.head}`)).json.has_head, true);
  assert.equal((await check(`?head=${"0".repeat(64)}`)).json.has_head, false);
  const { status, json: rejected } = await check("?head=abc");
  assert.deepEqual([status, rejected.error.param], [400, "head"]);
});

test("log lines of changes name the actor and contain no secret", async () => {
  const changed = managed.service.logged.filter(({ event }) => event === "manage.changed");
  assert.ok(changed.length > 5);
  assert.doesNotMatch(
    JSON.stringify(managed.service.logged),
    /sk_[0-9A-Za-z]{20}|adm_[0-9A-Za-z]{20}|turngate_session/,
  );
});
