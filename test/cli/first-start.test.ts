// The first start, on the real store.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bootstrap } from "../../src/boot/bootstrap.ts";
import { KEY_FORMAT } from "../../src/core/access/checked-secret.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createSecrets } from "../../src/system/hashing.ts";
import { TESTS } from "../support/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-first-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const secrets = createSecrets("a root secret for tests, long enough");

async function withStore(name: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore({ location: join(folder, name, "turngate.db"), clock: createSystemClock() });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

test("the first start creates an organization that is served, its owner and a key; the second creates nothing", async () => {
  await withStore("empty", async (store) => {
    const secret = await bootstrap(store, secrets, { apiKey: null, nowSeconds: 1000 });
    const found = await store.findKey({ lookup: KEY_FORMAT.read(secret ?? "")?.lookup ?? "" });
    assert.ok(found !== null && secrets.matchesKeySecret(secret ?? "", found.secretHash));
    assert.equal(found.key.permission, "all");
    const { plan, paymentMethod, creditsNano, suspended } = found.organization;
    assert.deepEqual(
      { plan, paymentMethod, creditsNano, suspended },
      {
        plan: true,
        paymentMethod: true,
        creditsNano: 1_000_000_000_000_000n,
        suspended: false,
      },
    );
    const [owner] = await store.listMembers({ organizationId: found.organization.id });
    assert.equal(owner?.role, "owner");
    assert.equal(await bootstrap(store, secrets, { apiKey: null, nowSeconds: 2000 }), null);
    assert.equal((await store.listOrganizations()).length, 1);
  });
});

test("a given key becomes the first key", async () => {
  await withStore("given", async (store) => {
    const given = secrets.mintApiKey();
    assert.equal(await bootstrap(store, secrets, { apiKey: given.secret, nowSeconds: 1000 }), given.secret);
    assert.equal((await store.findKey({ lookup: given.lookup }))?.secretHash, given.hash);
  });
});

for (const name of ["acme", "default"]) {
  test(`a store that an operator has set up stays as it is, with an organization called ${name}`, async () => {
    await withStore(`set-up-${name}`, async (store) => {
      await store.createOrganization({ by: TESTS, id: "org_1", name, createdAt: 1 });
      assert.equal(await bootstrap(store, secrets, { apiKey: null, nowSeconds: 1000 }), null);
      const organizations = await store.listOrganizations();
      assert.deepEqual(
        organizations.map(({ id, plan, creditsNano }) => [id, plan, creditsNano]),
        [["org_1", false, 0n]],
      );
    });
  });
}

test("where all organizations were deleted, nothing is created, and a deleted key does not come back", async () => {
  await withStore("deleted", async (store) => {
    const given = secrets.mintApiKey();
    await bootstrap(store, secrets, { apiKey: given.secret, nowSeconds: 1000 });
    const [organization] = await store.listOrganizations();
    assert.ok(organization);
    await store.deleteOrganization({ by: TESTS, organizationId: organization.id });
    assert.equal(await bootstrap(store, secrets, { apiKey: given.secret, nowSeconds: 2000 }), null);
    assert.deepEqual(await store.listOrganizations(), []);
    assert.equal(await store.findKey({ lookup: given.lookup }), null);
  });
});
