// X-Forwarded-For of a trusted proxy names the client: in the limits of sign-in attempts, sessions and the log.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SIGN_INS_PER_ADDRESS_MINUTE } from "../../src/contract/manage/limits.ts";
import { type ManagedService, managedForFile, PASSWORD, sessionOf } from "./managed-service.ts";

const behind = await managedForFile({ trustedProxies: [{ family: "ipv4", address: "127.0.0.0", prefix: 8 }] });
const direct = await managedForFile();

let tried = 0;

/** The statuses of as many attempts as one address has, and one more, each of another e-mail address. */
async function attempt(managed: ManagedService, forwarded: (at: number) => string): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let at = 0; at <= SIGN_INS_PER_ADDRESS_MINUTE; at += 1) {
    const headers = { "x-forwarded-for": forwarded(at), "sec-fetch-site": "same-origin" };
    const body = { email: `nobody${++tried}@test.test`, password: "not the right one" };
    statuses.push((await managed.ask(null, "POST", "/session", { headers, body })).status);
  }
  return statuses;
}

test("each client has attempts of its own, whatever it writes before the proxy's part", async () => {
  const one = await attempt(behind, (at) => `10.0.0.${at}, 198.51.100.1`);
  assert.equal(one.at(-2), 401);
  assert.equal(one.at(-1), 429);
  assert.ok(!(await attempt(behind, (at) => `198.51.100.${10 + at}`)).includes(429));
});

test("without trusted proxies the header counts for nothing", async () => {
  assert.equal((await attempt(direct, (at) => `198.51.100.${10 + at}`)).at(-1), 429);
});

test("a session and the log have the client's address", async () => {
  const organizationId = await behind.newOrganization();
  const member = await behind.newMember(organizationId, "owner");
  const secret = await behind.linkOf(member);
  const headers = { "x-forwarded-for": "203.0.113.9", "sec-fetch-site": "same-origin" };
  const body = { secret, password: PASSWORD };
  const redeemed = await behind.ask(null, "POST", "/sign-in-links/redeem", { headers, body });
  assert.equal(redeemed.status, 200, redeemed.text);
  const { data } = (await behind.ask(sessionOf(redeemed), "GET", "/sessions")).json;
  assert.deepEqual(
    data.map(({ address }: { address: string }) => address),
    ["203.0.113.9"],
  );
  const wrong = { email: member.email, password: "not the right one" };
  await behind.ask(null, "POST", "/session", { headers, body: wrong });
  const refused = behind.service.logged.findLast(({ event }) => event === "manage.sign_in_refused");
  assert.deepEqual(refused?.fields, { address: "203.0.113.9" });
});
