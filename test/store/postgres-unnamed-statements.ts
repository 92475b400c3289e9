// Runs the contract of the store on PostgreSQL without named statements (`?prepare=false`): npm run test:postgres. The
// part that poolers need, test/store/postgres-pooler.test.ts runs with every npm test.
import { describe } from "node:test";
import { testStore } from "./contract.ts";
import { createManualClock } from "./fixtures.ts";
import { databases, openPostgresStore } from "./postgres-databases.ts";

describe("PostgreSQL, statements without names", () => {
  testStore(async () => {
    const url = `${(await databases.server()).url(await databases.create())}?prepare=false`;
    const clock = createManualClock();
    const store = await openPostgresStore({ location: url, clock });
    return { store, clock, close: () => store.close() };
  });
});
