import assert from "node:assert/strict";
import { test } from "node:test";
import type { HashRenewal } from "../../ports/store/accounts.ts";
import { StoreError } from "../../ports/store/store.ts";
import { createSecrets } from "../../system/hashing.ts";
import { createRootKeys } from "../../system/root-keys.ts";
import { authenticate, type KeyServices } from "./authenticate.ts";

const OLD = "an old root secret, which has thirty-two characters";
const NEW = "a new root secret, which has thirty-two characters too";

const { secret, lookup, hash } = createSecrets(OLD).mintApiKey();

/** The services of a node while the root secret is being rotated, for a key with this hash. */
function servicesOf(secretHash: string, renew: (renewal: HashRenewal) => Promise<void>) {
  const warned: string[] = [];
  const store = { findKey: async () => ({ secretHash }), renewKeyHash: renew };
  const log = { warn: (event: string) => warned.push(event) };
  const secrets = createSecrets(createRootKeys({ current: NEW, former: OLD }));
  return { services: { store, log, secrets } as unknown as KeyServices, warned };
}

test("a key of the former root secret is hashed anew at its use, one of the current one is left alone", async () => {
  const renewals: HashRenewal[] = [];
  const keep = async (renewal: HashRenewal) => void renewals.push(renewal);
  await authenticate(servicesOf(hash, keep).services, [`Bearer ${secret}`]);
  const current = createSecrets(NEW);
  const [root = ""] = current.checkValues;
  assert.deepEqual(renewals, [{ lookup, from: hash, hash: current.hashKeySecret(secret), root }]);
  await authenticate(servicesOf(current.hashKeySecret(secret), keep).services, [`Bearer ${secret}`]);
  assert.equal(renewals.length, 1);
});

test("a key is valid though its hash could not be renewed", async () => {
  const { services, warned } = servicesOf(hash, () => Promise.reject(new StoreError("unavailable", "out of reach")));
  assert.equal((await authenticate(services, [`Bearer ${secret}`])).secretHash, hash);
  assert.deepEqual(warned, ["auth.hash_not_renewed"]);
});
