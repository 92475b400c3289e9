// Connections to PostgreSQL over TLS, with a certificate of the tests' own authority.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, statSync, chownSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { createManualClock } from "./fixtures.ts";
import { createDatabases, openPostgresStore } from "./postgres-databases.ts";
import { type PostgresServer, startServer } from "./postgres-server.ts";

const CERTIFICATES = join(import.meta.dirname, "../support/certificates");
const AUTHORITY = join(CERTIFICATES, "ca.pem");

const databases = createDatabases(startServer);
let server: PostgresServer;
let database: string;

before(async () => {
  server = await databases.server();
  database = await databases.create();
  const [row] = await server.query<{ data: string }>(database, "select current_setting('data_directory') as data");
  const data = row?.data ?? "";
  const { uid, gid } = statSync(data);
  for (const file of ["server.pem", "server.key"]) {
    const copy = join(data, file);
    copyFileSync(join(CERTIFICATES, file), copy);
    // PostgreSQL takes a key only when nobody else may read it.
    chmodSync(copy, 0o600);
    chownSync(copy, uid, gid);
  }
  for (const setting of ["ssl_cert_file = 'server.pem'", "ssl_key_file = 'server.key'", "ssl = on"])
    await server.query(database, `alter system set ${setting}`);
  await server.query(database, "select pg_reload_conf()");
  while ((await server.query<{ ssl: string }>(database, "show ssl"))[0]?.ssl !== "on");
});

/** Opens the store at an address with these parameters; resolves to whether its connections are encrypted. */
async function isEncrypted(host: string, parameters: string): Promise<boolean> {
  const url = new URL(`${server.url(database)}?${parameters}`);
  url.hostname = host;
  const store = await openPostgresStore({ location: url.href, clock: createManualClock() });
  try {
    await store.ping();
    const rows = await server.query<{ ssl: boolean }>(
      database,
      `select ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where datname = current_database() and application_name = 'turngate'`,
    );
    assert.ok(rows.length > 0);
    return rows.every(({ ssl }) => ssl);
  } finally {
    await store.close();
  }
}

test("sslmode decides whether connections are encrypted and what of the server's certificate is verified", async () => {
  assert.equal(await isEncrypted("127.0.0.1", "sslmode=disable"), false);
  assert.equal(await isEncrypted("127.0.0.1", "sslmode=require"), true);
  assert.equal(await isEncrypted("127.0.0.1", `sslmode=verify-ca&sslrootcert=${AUTHORITY}`), true);
  assert.equal(await isEncrypted("localhost", `sslmode=verify-full&sslrootcert=${AUTHORITY}`), true);
});

test("a certificate that no known authority has signed is no connection", async () => {
  await assert.rejects(
    isEncrypted("localhost", "sslmode=verify-full"),
    (error) => error instanceof StoreError && /certificate/.test(error.message),
  );
});
