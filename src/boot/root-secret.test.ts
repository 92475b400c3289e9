import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OperatorError } from "./operator-error.ts";
import { isSecretExposed, readRootSecret, secretPathOf } from "./root-secret.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-secret-"));
after(() => rmSync(folder, { recursive: true }));

test("the secret of the environment is taken and nothing is made", () => {
  const databasePath = join(folder, "none", "t.db");
  assert.equal(readRootSecret({ rootSecret: "s".repeat(32), databasePath }), "s".repeat(32));
  assert.ok(!existsSync(join(folder, "none")));
});

test("the first use makes a secret that only its owner reads; later uses find it", () => {
  const databasePath = join(folder, "first", "t.db");
  const secret = readRootSecret({ rootSecret: null, databasePath });
  assert.match(secret, /^[\w-]{64}$/);
  assert.equal(statSync(secretPathOf(databasePath)).mode & 0o777, 0o600);
  assert.equal(isSecretExposed(secretPathOf(databasePath)), false);
  assert.deepEqual(readdirSync(join(folder, "first")), ["secret"]);
  writeFileSync(databasePath, "");
  assert.equal(readRootSecret({ rootSecret: null, databasePath }), secret);
  chmodSync(secretPathOf(databasePath), 0o644);
  assert.equal(isSecretExposed(secretPathOf(databasePath)), true);
});

test("a database whose secret is gone is refused: a new one would end every key", () => {
  const databasePath = join(folder, "lost.db");
  writeFileSync(databasePath, "");
  assert.throws(() => readRootSecret({ rootSecret: null, databasePath }), OperatorError);
  assert.ok(!existsSync(secretPathOf(databasePath)));
});

test("a secret that is too short is refused", () => {
  const databasePath = join(folder, "t.db");
  writeFileSync(secretPathOf(databasePath), "short\n");
  assert.throws(() => readRootSecret({ rootSecret: null, databasePath }), /has 5 characters; allowed: 32 or more/);
});
