// Records and members for the tests of the log of turns.
import type { ResponseFilter } from "../../../src/ports/store/response-log.ts";
import type { Suite } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, START_MS } from "../fixtures.ts";

export const START = START_MS / 1000;
/** A filter that takes every response of an organization. */
export const EVERY_TURN: Omit<ResponseFilter, "organizationId"> = {
  keyId: null,
  memberId: null,
  model: null,
  status: null,
  failureCode: null,
  conversationId: null,
  endUser: null,
  label: null,
  from: null,
  to: null,
};
export const RECORD = {
  queueMs: 3,
  firstOutputMs: 40,
  durationMs: 500,
  attempts: 2,
  providerStatus: 200,
  providerRequestId: "req_provider",
};
export const FAILURE = {
  status: "failed",
  error: { code: "provider_error", message: "the provider's words" },
  failure: null,
} as const;

/** Creates a member of ACME with keys; returns their callers. */
export async function addMember(suite: Suite, id: string, keys: readonly string[]) {
  const organizationId = ACME.organizationId;
  await suite.store.addMember({
    by: TESTS,
    id,
    organizationId,
    email: `${id}@acme.test`,
    role: "member",
    createdAt: 1,
  });
  for (const keyId of keys) {
    await suite.store.createKey({
      by: TESTS,
      key: { id: keyId, organizationId, memberId: id, name: keyId, permission: "all", createdAt: 1, revokedAt: null },
      secret: { lookup: `look_${keyId}`, hash: `hash_${keyId}` },
    });
  }
  return keys.map((keyId) => ({ organizationId, keyId }));
}
