// Runs the store's contract against PostgreSQL.
import { testStore } from "./contract.ts";
import { createDatabases } from "./postgres-databases.ts";
import { startServer } from "./postgres-server.ts";

testStore(createDatabases(startServer).openNew);
