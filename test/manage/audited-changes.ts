// An organization, and tests that compare each change with the entries that it adds to the audit log.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditAction } from "../../src/contract/manage/audit-actions.ts";
import type { ServiceSettings } from "../support/service-config.ts";
import { type Identity, managedForFile } from "./managed-service.ts";

/** An entry without what every entry has. */
type Told = readonly [action: AuditAction, target: string | null, before: object | null, after: object | null];

/** Whether `audit-members.test.ts` tests an action; `audit-organizations.test.ts` tests all others. */
export function isOfMembers(action: AuditAction): boolean {
  return /^(?:member|key|budget|token|session|operator)\./.test(action);
}

/** A service for the tests of one file, with an organization and the functions that follow its log. */
export async function auditedForFile(settings: ServiceSettings = {}) {
  const managed = await managedForFile(settings);
  const organizationId = await managed.newOrganization();
  await managed.newMember(organizationId, "owner");
  const member = await managed.newMember(organizationId, "admin", "admin@test.test");
  /** The actions of all changes so far. */
  const seen = new Set<AuditAction>();

  const nowSeconds = () => Math.floor(managed.service.clock.nowMs() / 1000);
  const operator = (method: string, route: string, body?: object) => ask(managed.operator, method, route, body);

  async function ask(who: Identity, method: string, route: string, body?: object) {
    const { status, json, text } = await managed.ask(who, method, route, body === undefined ? {} : { body });
    assert.equal(status, 200, text);
    return json;
  }

  /** The entries that a change adds, oldest first; each must name the organization it is about. */
  async function toldOf(deed: () => Promise<unknown>, of: string | null = organizationId): Promise<readonly Told[]> {
    const [last] = await managed.store.listAudit({ organizationId: null, before: null, limit: 1 });
    await deed();
    const entries = await managed.store.listAudit({ organizationId: null, before: null, limit: 20 });
    const added = entries.filter(({ id }) => id > (last?.id ?? 0)).toReversed();
    for (const entry of added)
      assert.deepEqual([entry.organizationId, entry.atMs], [of, managed.service.clock.nowMs()]);
    return added.map(({ action, target, before: was, after: is }) => [action, target, was, is]);
  }

  /** A change, and what the log is to say of it; both may use ids of earlier ones. */
  function change(name: string, deed: () => Promise<unknown>, expected: () => readonly Told[], of?: null): void {
    test(name, async () => {
      const recorded = await toldOf(deed, of === null ? null : organizationId);
      assert.deepEqual(recorded, expected());
      for (const [action] of recorded) seen.add(action);
    });
  }

  const path = `/organizations/${organizationId}`;
  return { managed, organizationId, path, member, seen, nowSeconds, operator, ask, toldOf, change };
}
