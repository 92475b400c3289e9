// Rules for every request to the management interface.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { gate } from "../support/scripted-provider.ts";
import { managedForFile, PASSWORD } from "./managed-service.ts";

const HOUR_MS = 3_600_000;

const managed = await managedForFile();

/** Sends bytes unchanged; resolves with everything received. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(managed.baseUrl).port), "127.0.0.1", () => socket.write(text));
    let received = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

async function newOwner() {
  const member = await managed.newMember(await managed.newOrganization(), "owner");
  return { member, session: await managed.signedIn(member) };
}

test("guesses of the current password are rate limited like sign-ins", async () => {
  const { session } = await newOwner();
  const guess = () =>
    managed.ask(session, "POST", "/session/password", {
      body: { current_password: "a wrong guess", new_password: "another four words" },
    });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) statuses.push((await guess()).status);
  assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429]);
  const { json, headers } = await guess();
  assert.deepEqual([json.error.code, headers["retry-after"]], ["rate_limit_exceeded", "12"]);
  const right = { current_password: PASSWORD, new_password: "another four words" };
  assert.equal((await managed.ask(session, "POST", "/session/password", { body: right })).status, 429);
  await managed.service.clock.advance(60_000);
});

test("redeeming a link from another site is rejected, and the link stays valid", async () => {
  const { member } = await newOwner();
  const path = `/organizations/${member.organizationId}/members/${member.id}/sign-in-link`;
  const { secret } = (await managed.ask(managed.operator, "POST", path)).json;
  const redeem = (headers: Record<string, string>) =>
    managed.ask(null, "POST", "/sign-in-links/redeem", { body: { secret, password: "four words of one" }, headers });
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "http://evil.test" }]) {
    const { status, json } = await redeem(headers);
    assert.deepEqual([status, json.error.code], [403, "access_denied"]);
  }
  assert.equal((await redeem({ origin: managed.baseUrl })).status, 200);
});

test("a session's last use is stored at most once a minute", async () => {
  const { clock } = managed.service;
  for (const [usedAfterMs, livesMs] of [
    [59_999, 12 * HOUR_MS],
    [60_000, 12 * HOUR_MS + 60_000],
  ] as const) {
    const { session } = await newOwner();
    const isSignedIn = async () => (await managed.ask(session, "GET", "/session")).status === 200;
    await clock.advance(usedAfterMs);
    assert.ok(await isSignedIn());
    // One session is used when it has expired, another a millisecond before.
    await clock.advance(livesMs - usedAfterMs);
    assert.equal(await isSignedIn(), false);
    const { session: control } = await newOwner();
    await clock.advance(usedAfterMs);
    await managed.ask(control, "GET", "/session");
    await clock.advance(livesMs - usedAfterMs - 1);
    assert.equal((await managed.ask(control, "GET", "/session")).status, 200);
  }
});

test("every response forbids content sniffing", async () => {
  const head = (target: string, more = "") => `${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
  for (const request of [
    head("GET /manage/api/session"),
    head(
      "GET /manage/api/session",
      `Authorization: Bearer ${"token" in managed.operator && managed.operator.token}\r\n`,
    ),
    head("POST /manage/api/session", "Content-Length: 1\r\n") + "{",
    head("GET /manage/api/nowhere"),
    head("GET /nowhere"),
    head("GET /docs"),
    head("GET /openapi.json"),
    head("GET /healthz"),
    head("GET /readyz"),
    "NONSENSE\r\n\r\n",
    head("GET /manage/api/session", "Expect: wonders\r\n"),
  ]) {
    const [reply = ""] = (await sendRaw(request)).split("\r\n\r\n");
    assert.match(reply, /^HTTP\/1\.1 \d\d\d /, request);
    assert.match(reply.toLowerCase(), /\r\nx-content-type-options: nosniff(\r\n|$)/, `${request}${reply}`);
  }
});

test("a request with two Host headers, or none, is a 400", async () => {
  for (const hosts of ["", "Host: x\r\nHost: x\r\n", "Host: x\r\nHost: y\r\n"]) {
    const reply = await sendRaw(`GET /manage/api/session HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    assert.match(reply, /^HTTP\/1\.1 400 [^]*"code":"invalid_input"/, hosts);
  }
});

test("an invalid Host is a 400 and becomes no address in a link; an HTTP/1.0 request without one gets the server's own", async () => {
  const organizationId = await managed.newOrganization();
  const { id } = await managed.newMember(organizationId, "member");
  const { operator } = managed;
  assert.ok("token" in operator);
  const link = (version: string, host: string) =>
    sendRaw(
      [
        `POST /manage/api/organizations/${organizationId}/members/${id}/sign-in-link HTTP/${version}`,
        `Authorization: Bearer ${operator.token}`,
        `${host}Connection: close\r\nContent-Length: 0\r\n\r\n`,
      ].join("\r\n"),
    );
  for (const host of ["a b", "", "evil.test/@x", "evil.test#", "user@evil.test", "[::1", "evil.test:99999"]) {
    const reply = await link("1.1", `Host: ${host}\r\n`);
    assert.match(reply, /^HTTP\/1\.1 400 [^]*"code":"invalid_input"/, host);
    assert.doesNotMatch(reply, /evil|"url"/);
  }
  assert.match(await link("1.1", "Host: good.test\r\n"), /"url":"http:\/\/good\.test\//);
  assert.match(await link("1.0", ""), new RegExp(`"url":"${managed.baseUrl}/`));
});

test("an organization is named by its id: its name in a path is a 404, and so is an empty id", async () => {
  const id = await managed.newOrganization();
  const name = "Acme";
  const renamed = await managed.ask(managed.operator, "POST", `/organizations/${id}`, { body: { name } });
  assert.equal(renamed.status, 200, renamed.text);
  assert.equal((await managed.ask(managed.operator, "GET", `/organizations/${id}`)).json.name, name);
  const { keyId } = await managed.service.newKey(id);
  for (const [method, path] of [
    ["GET", `/organizations/${name}`],
    ["GET", `/organizations/${name}/members`],
    ["POST", `/organizations/${name}/plan`],
    ["GET", `/reconciliation?organization_id=${name}`],
    ["GET", "/organizations//members"],
    ["POST", `/organizations//keys/${keyId}/rotate`],
    ["POST", `/organizations/${id}/keys//rotate`],
    ["DELETE", `/organizations/${id}/members/`],
  ] as const) {
    const body = path.endsWith("rotate") ? { body: { grace: "1h" } } : {};
    const { status, json } = await managed.ask(managed.operator, method, path, body);
    assert.deepEqual([status, json.error?.code], [404, "resource_not_found"], path);
    // With an empty id it is an unknown path: a 404 without authentication.
    const asNobody = await managed.ask(null, method, path, body);
    assert.equal(asNobody.status, /\/(\/|$)/.test(path) ? 404 : 401, path);
  }
});

test("an organization's long reads run one at a time, and too many are a 429; other requests are served", async (t) => {
  const { member, session } = await newOwner();
  const { opened, open } = gate();
  let reading = 0;
  const reads: number[] = [];
  t.mock.method(managed.store, "readUsage", async () => {
    reads.push(++reading);
    await opened;
    reading--;
    return [];
  });
  const path = `/organizations/${member.organizationId}`;
  const all = Array.from({ length: 80 }, () => managed.ask(session, "GET", `${path}/usage`));
  const rejected = await Promise.race(all);
  assert.deepEqual(
    [rejected.status, rejected.json.error.code, rejected.headers["retry-after"]],
    [429, "rate_limit_exceeded", "1"],
  );
  assert.equal((await managed.ask(session, "GET", `${path}/keys`)).status, 200);
  open();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 72);
  assert.deepEqual(new Set(reads), new Set([1]));
});
