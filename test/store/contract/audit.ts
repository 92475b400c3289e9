// Contract: the audit log, searched by action, actor and target.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditFilter } from "../../../src/ports/store/audit.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

const ORGANIZATION = "org_searched";
const ADA = { kind: "member", id: "mem_ada" } as const;

export const testAudit = describeStore("searches of the audit log", (suite) => {
  const search = (filter: Partial<AuditFilter>, page: { before?: number; limit?: number; readsMax?: number } = {}) =>
    suite.store.searchAudit({
      filter: {
        organizationId: ORGANIZATION,
        action: null,
        actor: null,
        target: null,
        fromMs: null,
        toMs: null,
        ...filter,
      },
      before: null,
      limit: 20,
      readsMax: 1000,
      ...page,
    });
  const found = async (filter: Partial<AuditFilter>) =>
    (await search(filter)).entries.map(({ action, target }) => `${action} ${target}`);

  test("entries are found by action, actor and target", async () => {
    const { store } = suite;
    const organizationId = ORGANIZATION;
    await store.createOrganization({ by: TESTS, id: organizationId, name: "Searched", createdAt: 1 });
    const added = { organizationId, role: "owner", createdAt: 1 } as const;
    await store.addMember({ by: TESTS, ...added, id: ADA.id, email: "Ada@acme.test" });
    await store.addMember({ by: TESTS, ...added, id: "mem_bob", email: "bob@acme.test" });
    for (const [index, by] of [ADA, TESTS, ADA].entries()) {
      const id = `key_searched_${index}`;
      const key = { id, organizationId, memberId: null, name: id, permission: "all", revokedAt: null } as const;
      await store.createKey({ by, key: { ...key, createdAt: 1 }, secret: { lookup: `look_${id}`, hash: "h" } });
    }
    const name = { scope: "key", id: "key_searched_0", period: "month" } as const;
    await store.setBudget({ by: TESTS, organizationId, name, limitNano: 5n });

    const keys = [0, 1, 2].map((index) => `key.create key_searched_${index}`).toReversed();
    assert.deepEqual(await found({ action: "key.create" }), keys);
    assert.deepEqual(await found({ actor: ADA.id }), [keys[0], keys[2]]);
    assert.deepEqual(await found({ actor: "aDa@acme.test" }), [keys[0], keys[2]], "a member's address");
    assert.deepEqual(await found({ target: "key_searched_1" }), [keys[1]]);
    // A change of a key's budget is one of the key.
    assert.deepEqual(await found({ target: "key_searched_0" }), ["budget.set key key_searched_0 month", keys[2]]);
    assert.deepEqual(await found({ target: "key key_searched_0 month" }), ["budget.set key key_searched_0 month"]);
    assert.deepEqual(await found({ action: "key.create", actor: TESTS.id, target: "key_searched_1" }), [keys[1]]);
    for (const none of [
      { action: "key.create", target: ADA.id },
      { actor: "bob@acme.test" },
      { actor: "nobody" },
      { actor: "%" },
      { target: "key_searched__" },
      { target: "searched" },
      { organizationId: "org_acme", actor: ADA.id },
    ] as const) {
      assert.deepEqual(await search(none), { entries: [], next: null }, JSON.stringify(none));
    }
    assert.deepEqual(await found({ organizationId: null, actor: ADA.id }), [keys[0], keys[2]], "of all organizations");
    const { entries } = await search({ action: "key.create" });
    const { atMs = 0 } = entries[0] ?? {};
    const atTimes = async (fromMs: number | null, toMs: number | null) =>
      (await search({ action: "key.create", fromMs, toMs })).entries.length;
    assert.deepEqual(
      [await atTimes(atMs, atMs + 1), await atTimes(atMs + 1, null), await atTimes(null, atMs)],
      [3, 0, 0],
    );
    assert.deepEqual(
      entries.map(({ actorName }) => actorName),
      ["Ada@acme.test", null, "Ada@acme.test"],
    );
  });

  test("a long value is kept by its beginning and its hash, in the entry and in its event", async () => {
    const { store } = suite;
    const organizationId = "org_long";
    await store.createOrganization({ by: TESTS, id: organizationId, name: "Long", createdAt: 1 });
    const models = Array.from({ length: 1000 }, (_, index) => `provider/model-${index}`);
    const allow = (allowModels: readonly string[]) =>
      store.updateOrganization({
        by: TESTS,
        organizationId,
        policy: { allowModels, denyModels: ["acme/small"], toolCallsPerTurn: null },
      });
    await allow(models);
    await allow([...models, "provider/last"]);
    const [entry] = (await search({ organizationId, action: "policy.set" })).entries;
    const { before, after } = entry ?? {};
    const [was, is] = [before?.["allow_models"], after?.["allow_models"]] as [string[], string[]];
    assert.ok(JSON.stringify(after).length < 4200, "the whole entry");
    assert.deepEqual(is.slice(0, -1), models.slice(0, is.length - 1));
    assert.match(is.at(-1) ?? "", new RegExp(`^… and ${1002 - is.length} more \\(SHA-256 of all: [0-9a-f]{64}\\)$`));
    assert.deepEqual([was.slice(0, -1), was.length], [is.slice(0, -1), is.length]);
    assert.notEqual(was.at(-1), is.at(-1));
    const events = await store.listEvents({ organizationId, from: { direction: "after", id: 0 }, limit: 100 });
    assert.ok(events.every(({ data }) => JSON.stringify(data).length < 4500));
  });

  test("pages of a filter lead to its first entry, and without a filter to that of the organization", async () => {
    const { store } = suite;
    for (const filter of [{}, { action: "key.create" }, { organizationId: null }] as const) {
      const whole = await search(filter, { limit: 1000 });
      assert.equal(whole.next, null);
      const ids: number[] = [];
      for (let before: number | null | undefined; before !== null; ) {
        const page: typeof whole = await search(filter, { ...(before === undefined ? {} : { before }), limit: 2 });
        ids.push(...page.entries.map(({ id }) => id));
        before = page.next;
      }
      assert.deepEqual(
        ids,
        whole.entries.map(({ id }) => id),
      );
    }
    const plain = await store.listAudit({ organizationId: ORGANIZATION, before: null, limit: 1000 });
    assert.deepEqual((await search({}, { limit: 1000 })).entries, plain);
  });

  test("a page reads a limited number of entries, however few fit, and says where to go on", async () => {
    for (const organizationId of [ORGANIZATION, null]) {
      const filter = { organizationId, action: "organization.create", target: null } as const;
      const whole = await search(filter, { limit: 1000 });
      const every = await search({ organizationId }, { limit: 1000 });
      const ids: number[] = [];
      let pages = 0;
      for (let before: number | null | undefined; before !== null; pages++) {
        const page: typeof whole = await search(filter, { ...(before === undefined ? {} : { before }), readsMax: 2 });
        assert.ok(page.entries.length <= 2);
        ids.push(...page.entries.map(({ id }) => id));
        before = page.next;
      }
      assert.deepEqual(
        ids,
        whole.entries.map(({ id }) => id),
      );
      // The last page may find that nothing is left.
      assert.equal(pages, Math.floor(every.entries.length / 2) + 1);
    }
    // A page that wants no filter reads no more than it has.
    assert.equal((await search({}, { readsMax: 1 })).next, null);
  });
});
