import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { AccountError } from "../../../ports/store/accounts.ts";
import { StoreError } from "../../../ports/store/store.ts";
import { endsConnection, isConnectionLoss, isMisconfigured, isRetried, toStoreError } from "./errors.ts";
import { outcomeOf } from "../../engine/run.ts";

function fromServer(code: string, over: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError("what happened", 1, "error"), { code, ...over });
}

const UNAVAILABLE = [
  "08006",
  "25006",
  "25P03",
  "25P04",
  "28P01",
  "40001",
  "40P01",
  "53100",
  "53300",
  "55P03",
  "57014",
  "57P01",
  "57P03",
];
const FAILED = ["22P02", "23505", "3D000", "42P01", "XX001"];

test("an error of the server is unavailable if a later attempt may succeed", () => {
  for (const code of UNAVAILABLE) assert.equal(outcomeOf(toStoreError(fromServer(code))), "unavailable", code);
  for (const code of FAILED) assert.equal(outcomeOf(toStoreError(fromServer(code))), "failed", code);
});

test("an error of the connection is unavailable, any other error has failed", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
  const messages = ["Connection terminated unexpectedly", "Query read timeout", "timeout expired"];
  for (const error of [refused, ...messages.map((message) => new Error(message))]) {
    assert.equal(outcomeOf(toStoreError(error)), "unavailable", error.message);
    assert.ok(endsConnection(error));
  }
  const several = Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" });
  assert.match(toStoreError(several).message, /ECONNREFUSED 127\.0\.0\.1:1; connect ECONNREFUSED/);
  assert.equal(outcomeOf(toStoreError(new TypeError("a bug"))), "failed");
  assert.equal(endsConnection(new TypeError("a bug")), false);
});

test("credentials and TLS do not mend themselves while a service waits for its database", () => {
  const withCode = (code: string) => Object.assign(new Error("what happened"), { code });
  for (const code of ["28000", "28P01"]) assert.ok(isMisconfigured(fromServer(code)), code);
  for (const code of ["SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"])
    assert.ok(isMisconfigured(withCode(code)), code);
  assert.ok(isMisconfigured(new Error("The server does not support SSL connections")));
  for (const error of [fromServer("57P03"), withCode("ECONNREFUSED"), withCode("ENOTFOUND"), "thrown"])
    assert.equal(isMisconfigured(error), false);
});

test("an account error stays what it is and counts as refused", () => {
  const refused = new AccountError("There is no key.");
  assert.equal(toStoreError(refused), refused);
  assert.equal(outcomeOf(refused), "refused");
});

test("an error that may contain values names only its code and constraint", () => {
  const error = toStoreError(
    fromServer("23505", { message: "Key (email)=(ada@x) exists", constraint: "members_once" }),
  );
  assert.equal(error.message, "PostgreSQL: error 23505 at members_once.");
  assert.equal(error.cause, undefined);
  assert.equal(toStoreError(fromServer("22P02", { message: "invalid: 'ada'" })).message, "PostgreSQL: error 22P02.");
});

test("a pooler that loses prepared statements is named", () => {
  assert.match(toStoreError(fromServer("26000")).message, /prepare=false/);
});

test("conflicts of transactions are retried; a lost connection is replaced, a silent one is not", () => {
  for (const code of ["40001", "40P01", "23505"]) assert.ok(isRetried(fromServer(code)), code);
  assert.equal(isRetried(fromServer("57014")), false);
  assert.equal(isRetried(new StoreError("unavailable", "x")), false);
  for (const code of ["57P01", "25006", "25P03", "25P04"]) assert.ok(isConnectionLoss(fromServer(code)), code);
  assert.ok(isConnectionLoss(new Error("Connection terminated unexpectedly")));
  assert.equal(isConnectionLoss(new Error("Query read timeout")), false);
  assert.equal(isConnectionLoss(fromServer("57014")), false);
});
