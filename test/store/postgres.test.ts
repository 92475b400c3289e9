// Runs the store's contract against PostgreSQL.
import { testStore } from "./contract.ts";
import { databases } from "./postgres-databases.ts";

testStore(databases.openNew);
