// What `turngate store copy` prints, and the copies that it rejects. See docs/nodes.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { databases, openPostgresStore } from "../store/postgres-databases.ts";
import { emptyTarget, sourceForFile } from "./store-copy-source.ts";

const { clock, line, path: source } = sourceForFile();

test("the command prints a line per table, and rejects a target that has rows", async () => {
  const { url } = await emptyTarget();
  const words = ["store", "copy", "--to", url];
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const first = await line.run(words, variables);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^organizations +4$/m);
  assert.match(first.stdout, /^Copied \d+ rows to postgres:.* audit head [0-9a-f]{64}$/m);
  const again = await line.run([...words, "--json"], variables);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(
    again.stderr,
    /^error: The schema turngate of postgres:[^\n]* is not empty \(root_secret, organizations, /,
  );
  const elsewhere = await line.run(["store", "copy", "--to", `${url}?schema=second`, "--json"], variables);
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  assert.equal(JSON.parse(elsewhere.stdout).rows.organizations, 4);
});

test("a copy that fails stores nothing, says so, and can be repeated", async () => {
  const { database, url } = await emptyTarget();
  const server = await databases.server();
  await (await openPostgresStore({ location: url, clock })).close();
  await server.query(database, "alter table turngate.sessions add constraint wrong check (id = 'x')");
  const words = ["store", "copy", "--to", url];
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const failed = await line.run(words, variables);
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /^error: The copy to [^\n]* failed, and nothing was stored: [^\n]*drop schema "turngate" cascade\n$/,
  );
  assert.deepEqual(await server.query(database, "select id from turngate.organizations"), []);
  await server.query(database, "alter table turngate.sessions drop constraint wrong");
  assert.equal((await line.run(words, variables)).code, 0);
});

test("while a service runs on the source, between two PostgreSQL and between two files a copy is rejected", async () => {
  const { url } = await emptyTarget();
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const running = await openSqliteStore({ location: source, clock, exclusive: true });
  try {
    const { code, stderr } = await line.run(["store", "copy", "--to", url], variables);
    assert.equal(code, 1);
    assert.match(stderr, /^error: Another server is running on [^\n]*Stop the service first[^\n]*\n$/);
  } finally {
    await running.close();
  }
  const fromPostgres = await line.run(["store", "copy", "--to", url], { DATABASE_URL: url });
  assert.match(fromPostgres.stderr, /is not an embedded database: copy a PostgreSQL with its own tools/);
  const toFile = await line.run(["store", "copy", "--to", "sqlite:./x.db"], variables);
  assert.match(toFile.stderr, /is an embedded database; a store is copied to postgres:/);
  const toNothing = await line.run(["store", "copy", "--to", "mysql://u:geheim@h/d"], variables);
  assert.match(toNothing.stderr, /^error: --to is "[^"]*"; allowed: /);
  assert.doesNotMatch(toNothing.stderr, /geheim/);
  assert.deepEqual([fromPostgres.code, toFile.code, toNothing.code], [1, 1, 1]);
});
