// The PostgreSQL of a test file, started when it is needed.
import { createDatabases } from "../store/postgres-databases.ts";
import { startServer } from "../store/postgres-server.ts";

export const databases = createDatabases(startServer);
