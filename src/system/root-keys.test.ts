import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecrets } from "./hashing.ts";
import { createManagementSecrets } from "./management-secrets.ts";
import { createRootKeys } from "./root-keys.ts";

const OLD = "an old root secret, which has thirty-two characters";
const NEW = "a new root secret, which has thirty-two characters too";

const alone = createSecrets(OLD);
const both = () => createRootKeys({ current: NEW, former: OLD });

test("what the former root secret has hashed is accepted beside what the current one does", () => {
  const { secret, hash } = alone.mintApiKey();
  const secrets = createSecrets(both());
  assert.ok(secrets.matchesKeySecret(secret, hash));
  assert.ok(!secrets.matchesKeySecret(`${secret}x`, hash));
  const renewed = secrets.renewKeyHash(secret, hash);
  const [current] = createSecrets(NEW).checkValues;
  assert.deepEqual(renewed, { from: hash, hash: createSecrets(NEW).hashKeySecret(secret), root: current });
  assert.ok(secrets.matchesKeySecret(secret, renewed?.hash ?? ""));
  assert.equal(secrets.renewKeyHash(secret, renewed?.hash ?? ""), null);
  assert.deepEqual(secrets.mintApiKey().root, current);
});

test("tokens are renewed alike; sessions and links are of one root secret alone", () => {
  const old = createManagementSecrets(OLD);
  const { secret, hash } = old.mintToken();
  const secrets = createManagementSecrets(both());
  assert.ok(secrets.matchesToken(secret, hash));
  assert.equal(secrets.renewTokenHash(secret, hash)?.from, hash);
  const session = old.mintSecret();
  assert.notEqual(secrets.hashSecret(session.secret), session.hash);
  assert.equal(secrets.hashSecret(session.secret), createManagementSecrets(NEW).hashSecret(session.secret));
  assert.equal(secrets.open(old.seal("a text")), null);
  assert.equal(secrets.open(secrets.seal("a text")), "a text");
});

test("while the database has the former one, hashes are made with that, and none is renewed", () => {
  const root = both();
  const [current = "", former = ""] = root.checkValues;
  assert.deepEqual([current, former], [createSecrets(NEW).checkValues[0], alone.checkValues[0]]);
  root.settle(former);
  const secrets = createSecrets(root);
  const { secret, hash, root: of } = secrets.mintApiKey();
  assert.deepEqual([hash, of], [alone.hashKeySecret(secret), former]);
  assert.equal(secrets.renewKeyHash(secret, hash), null);
  // Another node has begun already.
  const newer = createSecrets(NEW).hashKeySecret(secret);
  assert.ok(secrets.matchesKeySecret(secret, newer));
  assert.equal(secrets.renewKeyHash(secret, newer), null);
  root.settle(current);
  assert.equal(secrets.renewKeyHash(secret, hash)?.hash, newer);
});

test("a single root secret renews nothing", () => {
  const { secret, hash } = alone.mintApiKey();
  assert.equal(alone.renewKeyHash(secret, hash), null);
  assert.equal(alone.checkValues.length, 1);
});
