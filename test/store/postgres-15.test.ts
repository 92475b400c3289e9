// Runs the store's contract against PostgreSQL 15, where the machine has it, and without named statements.
import { describe, test } from "node:test";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { testStore } from "./contract.ts";
import { createManualClock } from "./fixtures.ts";
import { createDatabases } from "./postgres-databases.ts";
import { installedServer } from "./postgres-server.ts";

const start = installedServer(15);
if (start === null) test("PostgreSQL 15", { skip: "not installed" }, () => {});
else {
  const databases = createDatabases(start);
  describe("PostgreSQL 15, statements without names", () => {
    testStore(async () => {
      const url = `${(await databases.server()).url(await databases.create())}?prepare=false`;
      const clock = createManualClock();
      const store = await openPostgresStore({ url, clock });
      return { store, clock, close: () => store.close() };
    });
  });
}
