// An embedded store with something in every table, and empty PostgreSQL databases to copy it to.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { openCommandLine } from "../cli/command-line.ts";
import { organizationOf } from "../store/contract/hold-fixtures.ts";
import {
  ACME,
  addCallers,
  answers,
  calls,
  createManualClock,
  makeConversation,
  outputs,
  placeAfter,
  placeIn,
  runResponse,
  says,
} from "../store/fixtures.ts";
import { TESTS } from "../support/actor.ts";
import { TestService } from "../support/service.ts";
import { databases } from "../store/postgres-databases.ts";

export const LIFETIME = { idleMs: 10 ** 12, absoluteMs: 10 ** 13 };
/** More nano-credits than a number counts exactly. */
const LARGE = 2n ** 55n + 1n;

export const CLAIM = { endpoint: "createResponse", key: "again" };

/** Fills a store before the tests of one file, and removes it after them. */
export function sourceForFile() {
  const clock = createManualClock();
  const line = openCommandLine();
  /** Whatever TEST_ENGINE says: only an embedded store is copied. */
  const path = join(line.folder, "source.db");
  const responseIds: string[] = [];
  const conversationIds: string[] = [];
  let service: TestService;
  const open = () => openSqliteStore({ location: path, clock });

  before(async () => {
    service = await TestService.start({ database: { engine: "sqlite", location: path } });
    const first = await service.create({ input: "Hello" }, { headers: { "idempotency-key": "once" } });
    const firstId = String(first.json["id"]);
    const branch = await service.create({ input: "A branch", previous_response_id: firstId });
    await service.create({ input: "Another branch", previous_response_id: firstId });
    assert.equal(branch.status, 200, branch.text);
    const deleted = await service.create({ input: "Gone" });
    await service.request("DELETE", `/v1/responses/${String(deleted.json["id"])}`);
    responseIds.push(firstId, String(branch.json["id"]), String(deleted.json["id"]));
    await service.stop();
    const store = await open();
    await fill(store);
    await store.close();
  });

  after(async () => {
    await service.restart();
    await service.close();
    line.remove();
  });

  /** Puts something into every table, with texts and amounts that a careless copy would change. */
  async function fill(store: Store): Promise<void> {
    await store.fitsSecret({ checkValue: service.secrets.checkValues[0] ?? "" });
    await addCallers(store);
    const call = await runResponse(store, {
      input: [says("quote \" backslash \\ {brace} , ' 🜚 NULL")],
      output: [calls("c1")],
      begin: { claim: { ...CLAIM, fingerprint: "f" } },
    });
    const answered = await runResponse(store, {
      begin: { placement: await placeAfter(store, call.id) },
      input: [outputs("c1")],
      output: [answers("")],
    });
    responseIds.push(call.id, answered.id);
    const conversationId = await makeConversation(store, [says("first"), says("second")]);
    conversationIds.push(conversationId);
    await runResponse(store, { begin: { placement: await placeIn(store, conversationId) }, head: { conversationId } });
    const org = await organizationOf({ store, clock }, "funds", LARGE);
    await org.setBudget({ scope: "organization", id: null, period: "total" }, LARGE + 2n);
    await org.setBudget({ scope: "response", id: null, period: "total" }, LARGE);
    const increase = { scope: "organization", period: "total", amountNano: LARGE } as const;
    assert.equal(await store.requestIncrease({ id: "inc_1", caller: org.caller, ...increase }), true);
    const { head: paid } = await org.begin(600n);
    await org.end(paid, 200, 7);
    // A crash left this one running.
    await org.begin(100n);
    const { memberId } = org;
    const { organizationId } = org.caller;
    await store.rotateKey({
      by: TESTS,
      keyId: ACME.keyId,
      secret: { lookup: "look_new", hash: "h" },
      graceSeconds: 3600,
    });
    await store.revokeKey({ by: TESTS, keyId: "key_other", revokedAt: 7 });
    const rejection = {
      ...ACME,
      requestId: "req_1",
      atMs: 5,
      operation: "listModels",
      status: 403,
      code: "access_denied",
      model: "acme/small",
      provider: null,
      providerStatus: null,
      providerRequestId: null,
    } as const;
    const failure = {
      organizationId: ACME.organizationId,
      kind: "rejected",
      code: "invalid_input",
      failures: 2,
    } as const;
    await store.keepRejections({
      rejections: [{ ...rejection, param: null, message: "no", skipped: 1 }],
      failures: [{ ...failure, model: null, provider: null }],
    });
    await store.reportProvider({ provider: "test", isFailing: true, calls: 3, failures: 3 });
    const limits = { permissions: "read", expiresAt: 5_000_000_000 } as const;
    const token = {
      id: "tok_1",
      organizationId: null,
      role: null,
      name: "t",
      ...limits,
      createdAt: 1,
      revokedAt: null,
    };
    await store.createToken({ by: TESTS, sessionId: null, token, secret: { lookup: "look_token", hash: "h_token" } });
    const link = { by: TESTS, organizationId, memberId, lifetimeMs: 1e9 };
    await store.setSignInLink({ ...link, hash: "h_link" });
    const session = { id: "ses_1", hash: "h_session", lifetime: LIFETIME, address: "192.0.2.1", userAgent: "curl" };
    await store.redeemSignInLink({ hash: "h_link", passwordHash: "argon", session });
    await store.setSignInLink({ ...link, hash: "h_link_2" });
    const operator = { by: TESTS, name: "Ada", lifetimeMs: 1e9 };
    await store.setOperatorLink({ ...operator, hash: "h_operator" });
    const ofOperator = { ...session, id: "ses_2", hash: "h_session_2" };
    await store.redeemSignInLink({ hash: "h_operator", passwordHash: null, session: ofOperator });
    await store.setOperatorLink({ ...operator, hash: "h_operator_2" });
    const identity = { issuer: "https://login.test", subject: "s" };
    const known = { by: TESTS, organizationId, identity, email: "sso@a.test", role: "member" } as const;
    const ofIdentity = { ...session, id: "ses_3", hash: "h_session_3" };
    await store.startSessionByIdentity({
      ...known,
      mayAdd: true,
      newMemberId: "mem_sso",
      createdAt: 1,
      session: ofIdentity,
    });
  }

  return {
    clock,
    line,
    path,
    open,
    responseIds,
    conversationIds,
    /** Stopped once the store is filled. */
    get service() {
      return service;
    },
  };
}

/** A new database on the test server. */
export async function emptyTarget(): Promise<{ database: string; url: string }> {
  const server = await databases.server();
  const database = await server.createDatabase();
  return { database, url: server.url(database) };
}
