// Attempts to sign in are limited over all nodes: who guesses a password has no more of them with more nodes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SIGN_INS_PER_ADDRESS_MINUTE, SIGN_INS_PER_MINUTE } from "../../src/contract/manage/limits.ts";
import { request } from "../support/http-client.ts";
import { withCluster } from "./cluster.ts";

test("three nodes grant as many attempts as one, and keep no row for longer than they need it", async () => {
  await withCluster({}, async ({ nodes, sql }) => {
    const addresses = await Promise.all(nodes.map((node) => node.listenToManagement()));
    let asked = 0;
    const guess = (email: string) =>
      request(addresses[asked++ % 3]!, "POST", "/manage/api/session", {
        body: { email, password: "a guess of mine" },
      });
    const guesses = (count: number, emailOf: (at: number) => string) =>
      Promise.all(Array.from({ length: count }, (_, at) => guess(emailOf(at))));
    /** As many as are granted at once, and one more for each time that another came back meanwhile. */
    const startedMs = Date.now();
    const assertGranted = (replies: readonly { readonly status: number }[], count: number, perMinute: number) => {
      const granted = replies.filter(({ status }) => status === 401).length;
      const returned = Math.floor(((Date.now() - startedMs) * perMinute) / 60_000);
      assert.ok(granted >= count && granted <= count + returned, `${granted} granted instead of ${count}`);
    };

    // Each node alone would grant all that reach it, four.
    const ofOne = await guesses(12, () => "ada@acme.test");
    assertGranted(ofOne, SIGN_INS_PER_MINUTE, SIGN_INS_PER_MINUTE);
    const denied = ofOne.find(({ status }) => status === 429);
    assert.equal(denied?.json.error.code, "rate_limit_exceeded");
    assert.match(denied?.headers["retry-after"] ?? "", /^\d+$/);
    // The twelve counted for their network address.
    const ofMany = await guesses(12, (at) => `${at}@acme.test`);
    assertGranted(ofMany, SIGN_INS_PER_ADDRESS_MINUTE - 12, SIGN_INS_PER_ADDRESS_MINUTE);

    const rows = async () => await sql("select hash from sign_in_attempts order by hash");
    assert.ok(!JSON.stringify(await rows()).includes("acme"));
    // A minute later, by the clocks of the nodes too.
    await sql("update sign_in_attempts set at_ms = at_ms - 61000");
    await Promise.all(nodes.map(({ clock }) => clock.advance(61_000)));
    assert.equal((await guess("ada@acme.test")).status, 401);
    assert.equal((await rows()).length, 3);
  });
});
