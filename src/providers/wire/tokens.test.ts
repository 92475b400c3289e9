import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { keepToken } from "./tokens.ts";

const HOUR_MS = 3_600_000;
/** What follows from a reply has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A credential service whose replies wait for the test. */
function startAsking(secrets: readonly string[] = []) {
  const clock = new FakeClock();
  const open: PromiseWithResolvers<{ token: string; expiresMs: number }>[] = [];
  let asked = 0;
  const ask = () => {
    asked++;
    open.push(Promise.withResolvers());
    return open.at(-1)!.promise;
  };
  const { get: token, discard } = keepToken({ name: 'provider "it"', ask, secrets }, { clock });
  return {
    clock,
    token,
    discard,
    asked: () => asked,
    reply: (text: string, livesMs = HOUR_MS) =>
      open.at(-1)?.resolve({ token: text, expiresMs: clock.nowMs() + livesMs }),
    fail: (message: string) => open.at(-1)?.reject(new Error(message)),
  };
}

test("requests at the same time ask once, and later ones take the same token", async () => {
  const { token, asked, reply } = startAsking();
  const both = Promise.all([token(), token()]);
  reply("t1");
  assert.deepEqual(await both, ["t1", "t1"]);
  assert.equal(await token(), "t1");
  assert.equal(asked(), 1);
});

test("a token is renewed before it expires, while the old one serves", async () => {
  const { clock, token, asked, reply } = startAsking();
  const first = token();
  reply("t1");
  await first;
  await clock.advance(HOUR_MS - 5 * 60_000 - 1);
  assert.deepEqual([await token(), asked()], ["t1", 1]);
  await clock.advance(1);
  assert.deepEqual([await token(), await token(), asked()], ["t1", "t1", 2]);
  reply("t2");
  await settled();
  assert.deepEqual([await token(), asked()], ["t2", 2]);
});

test("a renewal that fails is tried again after half a minute, and a token that expires is not sent", async () => {
  const { clock, token, asked, fail, reply } = startAsking();
  const first = token();
  reply("t1");
  await first;
  await clock.advance(HOUR_MS - 60_000);
  assert.equal(await token(), "t1");
  fail("down");
  await settled();
  assert.deepEqual([await token(), asked()], ["t1", 2]);
  await clock.advance(50_000);
  const waiting = token();
  assert.equal(asked(), 3);
  reply("t3");
  assert.equal(await waiting, "t3");
});

test("a service that does not reply is an error after ten seconds, and the next request asks again", async () => {
  const { clock, token, asked, reply } = startAsking();
  const lost = assert.rejects(token(), { message: 'provider "it": no credentials (no token within 10 seconds)' });
  await clock.advance(10_000);
  await lost;
  assert.equal(clock.pending, 0);
  const next = token();
  reply("t2");
  assert.deepEqual([await next, asked()], ["t2", 2]);
});

test("the error has the first line of the service's, without secrets", async () => {
  const { token, fail } = startAsking(["s3cret-value"]);
  const lost = token();
  fail("AADSTS7000215: s3cret-value is invalid\nTrace ID: 1");
  await assert.rejects(lost, { message: 'provider "it": no credentials (AADSTS7000215: [redacted] is invalid)' });
});

test("the error has no text in place of a path: it may be what the file should hold", async () => {
  const { token, fail } = startAsking();
  const rows = [
    ["ENOENT: no such file or directory, open 'eyJ.CANARY.x'", "ENOENT: no such file or directory, open"],
    ["ENOENT: no such file or directory, open '/run/token'", "ENOENT: no such file or directory, open '/run/token'"],
  ] as const;
  for (const [message, shown] of rows) {
    const lost = token();
    fail(message);
    // oxlint-disable-next-line no-await-in-loop -- one failure after the other
    await assert.rejects(lost, { message: `provider "it": no credentials (${shown})` });
  }
});

test("a rejected token is asked for again, unless it is young or another came meanwhile", async () => {
  const { clock, token, discard, asked, reply } = startAsking();
  const first = token();
  reply("t1");
  await first;
  await clock.advance(29_999);
  assert.deepEqual([discard(clock.nowMs()), await token(), asked()], [false, "t1", 1]);
  await clock.advance(1);
  const givenMs = clock.nowMs();
  assert.equal(discard(givenMs), true);
  await clock.advance(1);
  const second = token();
  reply("t2");
  assert.deepEqual([await second, asked()], ["t2", 2]);
  assert.deepEqual([discard(givenMs), await token(), asked()], [true, "t2", 2]);
});

test("a rejected token serves on when no other is to be had", async () => {
  const { clock, token, discard, asked, reply, fail } = startAsking();
  const first = token();
  reply("t1");
  await first;
  await clock.advance(30_000);
  assert.equal(discard(clock.nowMs()), true);
  const second = token();
  fail("down");
  assert.deepEqual([await second, asked()], ["t1", 2]);
  assert.deepEqual([await token(), asked()], ["t1", 2]);
});

test("a token with a short life is asked for twice a minute at most", async () => {
  const { clock, token, asked, reply } = startAsking();
  const first = token();
  reply("t1", 4 * 60_000);
  await first;
  await clock.advance(29_999);
  assert.deepEqual([await token(), asked()], ["t1", 1]);
  await clock.advance(1);
  assert.deepEqual([await token(), asked()], ["t1", 2]);
});

test("a token that is rejected during its renewal no longer serves", async () => {
  const { clock, token, discard, asked, reply } = startAsking();
  const first = token();
  reply("t1");
  await first;
  await clock.advance(HOUR_MS - 5 * 60_000);
  assert.equal(await token(), "t1");
  assert.equal(discard(clock.nowMs()), true);
  const next = token();
  reply("t2");
  assert.deepEqual([await next, asked()], ["t2", 2]);
});
