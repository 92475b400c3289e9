// The changes of an organization's people and tokens are limited per minute.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CHANGES_PER_MINUTE } from "../../src/contract/manage/limits.ts";
import { ManagedService } from "./managed-service.ts";

const managed = await ManagedService.start();
after(() => managed.close());

test("an organization's changes above the limit are a 429, until time has passed; the operator's are not", async () => {
  const organizationId = await managed.newOrganization();
  const of = `/organizations/${organizationId}`;
  const owner = await managed.signedIn(await managed.newMember(organizationId, "owner"));
  const admin = await managed.newProgram(organizationId, "admin");
  const member = await managed.newProgram(organizationId, "member");
  const set = (who: typeof owner, limit: number) =>
    managed.ask(who, "POST", `${of}/budgets`, { body: { scope: "organization", limit } });
  // Not counted: a change that the role does not allow, and the operator's.
  assert.equal((await set(member, 1)).status, 403);
  assert.equal((await set(managed.operator, 5000)).status, 200);
  assert.equal((await set(owner, 1)).status, 200);
  // Those that fail count too.
  const clear = (who: typeof owner) =>
    managed.ask(who, "POST", `${of}/budgets/clear`, { body: { scope: "organization-day" } });
  const rest = Array.from({ length: CHANGES_PER_MINUTE - 1 }, async (_, change) =>
    clear(change % 2 === 0 ? owner : admin),
  );
  assert.deepEqual(new Set((await Promise.all(rest)).map(({ status }) => status)), new Set([400]));
  for (const who of [owner, admin]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, json, headers } = await set(who, 1);
    assert.deepEqual([status, json.error.code, headers["retry-after"]], [429, "rate_limit_exceeded", "1"]);
  }
  assert.equal((await managed.ask(admin, "GET", `${of}/budgets`)).status, 200, "reads go on");
  assert.equal((await set(managed.operator, 5001)).status, 200);
  const other = await managed.newProgram(await managed.newOrganization(), "admin");
  assert.notEqual((await managed.ask(other, "POST", "/organizations/org_none/budgets", { body: {} })).status, 429);
  managed.service.clock.advance(1000);
  assert.equal((await set(admin, 1)).status, 200);
});
