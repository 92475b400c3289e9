import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { formerPathOf, isSecretExposed, readRootSecrets, replaceRootSecret, secretPathOf } from "./root-secret.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-secret-"));
after(() => rmSync(folder, { recursive: true }));

type Given = Parameters<typeof readRootSecrets>[0];

function readRootSecret(source: Omit<Given, "formerSecret">, isNew: boolean): string {
  return readRootSecrets({ ...source, formerSecret: null }, isNew).current;
}

test("the secret of the environment is used, and no file is created", () => {
  const path = join(folder, "none", "t.db");
  const database = { engine: "sqlite", location: path } as const;
  assert.equal(readRootSecret({ rootSecret: "s".repeat(32), database }, !existsSync(path)), "s".repeat(32));
  assert.ok(!existsSync(join(folder, "none")));
});

test("the first use creates a secret that only its owner can read; later uses read it", () => {
  const path = join(folder, "first", "t.db");
  const database = { engine: "sqlite", location: path } as const;
  const secret = readRootSecret({ rootSecret: null, database }, !existsSync(path));
  assert.match(secret, /^[\w-]{64}$/);
  assert.equal(statSync(secretPathOf(database)).mode & 0o777, 0o600);
  assert.equal(isSecretExposed(secretPathOf(database)), false);
  assert.deepEqual(readdirSync(join(folder, "first")), ["secret"]);
  writeFileSync(path, "");
  assert.equal(readRootSecret({ rootSecret: null, database }, !existsSync(path)), secret);
  chmodSync(secretPathOf(database), 0o644);
  assert.equal(isSecretExposed(secretPathOf(database)), true);
});

test("a database without its secret is an error: a new secret would invalidate every key", () => {
  const path = join(folder, "lost.db");
  const database = { engine: "sqlite", location: path } as const;
  writeFileSync(path, "");
  assert.throws(() => readRootSecret({ rootSecret: null, database }, !existsSync(path)), OperatorError);
  assert.ok(!existsSync(secretPathOf(database)));
});

test("a secret that is too short is an error", () => {
  const path = join(folder, "t.db");
  const database = { engine: "sqlite", location: path } as const;
  writeFileSync(secretPathOf(database), "short\n");
  assert.throws(
    () => readRootSecret({ rootSecret: null, database }, !existsSync(path)),
    /has 5 characters; allowed: 32 or more/,
  );
});

test("a new secret takes the place of the present one, which is kept as the former", () => {
  const database = { engine: "sqlite", location: join(folder, "rotated", "t.db") } as const;
  const source = { rootSecret: null, formerSecret: null, database };
  const first = readRootSecrets(source, true);
  assert.equal(first.former, null);
  replaceRootSecret(database);
  const second = readRootSecrets(source, false);
  assert.equal(second.former, first.current);
  assert.match(second.current, /^[\w-]{64}$/);
  assert.notEqual(second.current, first.current);
  for (const path of [secretPathOf(database), formerPathOf(database)]) assert.equal(statSync(path).mode & 0o777, 0o600);
  // A former one that may still be needed is not overwritten.
  assert.throws(() => replaceRootSecret(database), OperatorError);
  assert.deepEqual(readRootSecrets(source, false), second);
  assert.deepEqual(readdirSync(join(folder, "rotated")).toSorted(), ["secret", "secret.former"]);
});

test("with a secret of the environment the former one comes from there too, not from a file", () => {
  const database = { engine: "sqlite", location: join(folder, "rotated", "t.db") } as const;
  const rootSecret = "n".repeat(32);
  assert.equal(readRootSecrets({ rootSecret, formerSecret: null, database }, false).former, null);
  assert.equal(readRootSecrets({ rootSecret, formerSecret: "o".repeat(32), database }, false).former, "o".repeat(32));
});
