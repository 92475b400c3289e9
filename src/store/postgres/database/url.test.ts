import assert from "node:assert/strict";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { StoreError } from "../../../ports/store/store.ts";
import { parsePostgresUrl } from "./url.ts";

function clientOf(url: string): pg.Client {
  return new pg.Client(parsePostgresUrl(url).connection);
}

test("an address names server, database, schema and how statements are prepared", () => {
  const target = parsePostgresUrl("postgres://ada:s%40crt@db.test:6000/main?schema=gate&prepare=false");
  assert.deepEqual(
    [target.schema, target.preparesStatements, target.display],
    ["gate", false, "postgres://db.test:6000/main"],
  );
  const client = new pg.Client(target.connection);
  assert.deepEqual(
    [client.user, client.password, client.host, client.port, client.database],
    ["ada", "s@crt", "db.test", 6000, "main"],
  );
});

test("by default the schema is turngate and statements are prepared", () => {
  const { schema, preparesStatements } = parsePostgresUrl("postgresql://h/d");
  assert.deepEqual([schema, preparesStatements], ["turngate", true]);
});

test("what the address leaves out comes from the PG* variables", (t) => {
  const variables = { PGHOST: "from.environment", PGPORT: "6001", PGDATABASE: "d", PGUSER: "u", PGPASSWORD: "secret" };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, variables);
  assert.equal(parsePostgresUrl("postgres://").display, "postgres://from.environment:6001/d");
  assert.equal(parsePostgresUrl("postgres://h:1/other").display, "postgres://h:1/other");
  assert.equal(clientOf("postgres://h").password, "secret");
});

test("a socket's folder stands in a parameter", () => {
  assert.equal(parsePostgresUrl("postgres:///d?host=/tmp").display, `postgres://${encodeURIComponent("/tmp")}:5432/d`);
});

test("sslmode has the meaning that PostgreSQL documents", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "turngate-url-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const authority = join(folder, "ca.pem");
  writeFileSync(authority, "authority");
  const ssl = (parameters: string): unknown => clientOf(`postgres://h/d?${parameters}`).ssl;
  assert.equal(ssl(""), false);
  assert.equal(ssl("sslmode=disable"), false);
  assert.deepEqual(ssl("sslmode=require"), { rejectUnauthorized: false });
  assert.deepEqual(ssl(`sslmode=verify-full&sslrootcert=${authority}`), { ca: "authority" });
  // The server's name is not checked, its certificate is.
  const ofAuthority = ssl(`sslmode=verify-ca&sslrootcert=${authority}`) as ConnectionOptions;
  assert.deepEqual([ofAuthority.ca, ofAuthority.rejectUnauthorized], ["authority", undefined]);
  assert.equal(ofAuthority.checkServerIdentity?.("h", {} as never), undefined);
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["postgres://u:hunter2@h:port/d", /cannot be read\. Write postgres:\/\/USER:PASSWORD@HOST/],
  ["mysql://u:hunter2@h/d", /cannot be read/],
  ["postgres://u:hunter2#x@h/d", /percent-encoded/],
  ["postgres://u:hunter2@h/d?schema=Mine", /schema must be a name of lower-case letters/],
  ["postgres://u:hunter2@h/d?schema=pg_mine", /must not begin with pg_/],
  ["postgres://u:hunter2@h/d?prepare=no", /prepare must be true or false/],
  ["postgres://u:hunter2@h/d?hunter2=1", /unknown parameter; these are known: schema, prepare, user/],
  ["postgres://u:hunter2@h/d?sslmode=prefer", /sslmode must be disable, require, verify-ca or verify-full/],
  ["postgres://u:hunter2@h/d?sslmode=verify-ca", /sslmode=verify-ca needs sslrootcert/],
  ["postgres://u:hunter2@h/d?sslmode=verify-full&sslrootcert=/no/file", /\/no\/file cannot be read \(ENOENT\)/],
];

test("a wrong address is rejected in one sentence without its password", () => {
  for (const [url, message] of WRONG) {
    assert.throws(
      () => parsePostgresUrl(url),
      (error) => {
        assert.ok(error instanceof StoreError && error.kind === "failed", url);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  }
});
