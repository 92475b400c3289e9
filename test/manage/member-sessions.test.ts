// What owners and admins see and end of the sessions of members.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { mock, test } from "node:test";
import { TESTS } from "../support/actor.ts";
import type { Loose } from "../support/http-client.ts";
import { until } from "../support/until.ts";
import { type Identity, managedForFile } from "./managed-service.ts";

const managed = await managedForFile();

const pathOf = (member: { id: string; organizationId: string }) =>
  `/organizations/${member.organizationId}/members/${member.id}/sessions`;

test("an admin lists and ends the sessions of a member, one or all, and the audit log says so", async () => {
  const organization = await managed.newOrganization();
  const admin = await managed.newPerson(organization, "admin");
  const [member, other] = [
    await managed.newMember(organization, "member"),
    await managed.newMember(organization, "member"),
  ];
  const [person, bystander] = [await managed.signedIn(member), await managed.signedIn(other)];
  const [{ id, current }, ...more] = (await managed.ask(admin, "GET", pathOf(member))).json.data;
  assert.deepEqual([current, more], [false, []]);
  assert.equal((await managed.ask(admin, "DELETE", `${pathOf(other)}/${id}`)).status, 404, "another member's");
  assert.ok(await managed.isSignedIn(person));
  assert.deepEqual((await managed.ask(admin, "DELETE", `${pathOf(member)}/${id}`)).json, { done: true });
  assert.ok(!(await managed.isSignedIn(person)));
  assert.equal((await managed.ask(admin, "DELETE", `${pathOf(member)}/${id}`)).status, 404);
  const [entry] = (await managed.ask(admin, "GET", `/organizations/${organization}/audit`)).json.data;
  const { json: self } = await managed.ask(admin, "GET", "/session");
  assert.deepEqual(
    [entry.action, entry.target, entry.actor],
    ["session.end", id, { kind: "member", id: self.member.id }],
  );

  const again = await managed.signedIn(member);
  assert.equal((await managed.ask(admin, "DELETE", pathOf(member))).status, 200);
  assert.deepEqual([await managed.isSignedIn(again), await managed.isSignedIn(bystander)], [false, true]);
  assert.deepEqual((await managed.ask(admin, "GET", pathOf(member))).json.data, []);
});

test("only an owner or the operator lists and ends the sessions of an owner", async () => {
  const organization = await managed.newOrganization();
  const admin = await managed.newPerson(organization, "admin");
  const member = await managed.newMember(organization, "owner");
  const owner = await managed.signedIn(member);
  const [own] = (await managed.ask(owner, "GET", pathOf(member))).json.data;
  assert.equal(own.current, true);
  for (const [method, path] of [
    ["GET", pathOf(member)],
    ["DELETE", pathOf(member)],
    ["DELETE", `${pathOf(member)}/${own.id}`],
  ] as const) {
    const { status, json } = await managed.ask(admin, method, path);
    assert.deepEqual([status, json.error?.code], [403, "access_denied"]);
  }
  assert.ok(await managed.isSignedIn(owner));
  assert.equal((await managed.ask(managed.operator, "DELETE", pathOf(member))).status, 200);
  assert.ok(!(await managed.isSignedIn(owner)));
});

test("the sessions of a member who becomes an owner in the meantime are not ended by an admin", async (t) => {
  const organization = await managed.newOrganization();
  const admin = await managed.newPerson(organization, "admin");
  const member = await managed.newMember(organization, "member");
  const person = await managed.signedIn(member);
  const { store } = managed;
  const { listSessions } = store;
  // Between the decision and the end.
  const mocked = t.mock.method(store, "listSessions", async (query: Parameters<typeof listSessions>[0]) => {
    const sessions = await listSessions(query);
    const of = { organizationId: organization, memberId: member.id };
    await store.setMemberRole({ by: TESTS, ...of, role: "owner" });
    return sessions;
  });
  const { status, json } = await managed.ask(admin, "DELETE", pathOf(member));
  assert.equal(mocked.mock.callCount(), 1);
  assert.deepEqual([status, json.error.code], [400, "invalid_input"]);
  assert.match(json.error.message, /changed to owner in the meantime/);
  assert.ok(await managed.isSignedIn(person));
});

test("the tokens that a person made, through tokens too, are listed and end with the sessions or with the membership", async () => {
  const organization = await managed.newOrganization();
  const path = `/organizations/${organization}`;
  const owner = await managed.newPerson(organization, "owner");
  const member = await managed.newMember(organization, "admin");
  const make = async (who: Identity, name: string) =>
    (await managed.ask(who, "POST", `${path}/tokens`, { body: { name, role: "admin" } })).json;
  const listed = async (query = "") =>
    (await managed.ask(owner, "GET", `${path}/tokens${query}`)).json.data as {
      id: string;
      revoked_at: number | null;
      created_by: object;
    }[];
  const live = async (query = "") =>
    (await listed(query)).flatMap(({ id, revoked_at: revokedAt }) => (revokedAt === null ? [id] : []));
  const kept = await make(owner, "kept");
  for (const [end, headers] of [
    [pathOf(member), "sessions"],
    [`${path}/members/${member.id}`, "membership"],
  ] as const) {
    // oxlint-disable no-await-in-loop -- one after the other
    const person = await managed.signedIn(member);
    const first = await make(person, "nightly");
    const second = await make({ token: first.secret }, "made by a token");
    const mine = `?created_by=${member.id}`;
    assert.deepEqual(await live(mine), [first.id, second.id]);
    assert.deepEqual((await listed(mine))[0]?.created_by, { kind: "member", id: member.id });
    assert.equal((await managed.ask(owner, "DELETE", pathOf(member))).status, 200);
    assert.deepEqual(await live(mine), [first.id, second.id], "only the sessions");
    assert.equal((await managed.ask(owner, "DELETE", end, { body: { tokens: true } })).status, 200);
    assert.deepEqual(await live(), [kept.id], headers);
    assert.equal((await managed.ask({ token: second.secret }, "GET", "/session")).status, 401);
    const entries = (await managed.ask(owner, "GET", `${path}/audit?action=token.revoke&limit=2`)).json.data;
    assert.deepEqual(
      entries.map(({ target }: { target: string }) => target),
      [second.id, first.id],
    );
    const events = (await managed.ask(owner, "GET", `${path}/events?limit=10`)).json.data;
    assert.ok(
      events.some(
        (event: { type: string; target: string }) => event.type === "token.revoke" && event.target === second.id,
      ),
    );
    // oxlint-enable no-await-in-loop
  }
});

test("a person's keys stay when the person is removed, unless they are to end too", async () => {
  const organizationId = await managed.newOrganization();
  const path = `/organizations/${organizationId}`;
  const statusAfter = async (body?: object): Promise<number> => {
    const member = await managed.newMember(organizationId, "member");
    const made = await managed.ask(managed.operator, "POST", `${path}/keys`, {
      body: { name: "own", member: member.id },
    });
    const removal = await managed.ask(managed.operator, "DELETE", `${path}/members/${member.id}`, {
      ...(body && { body }),
    });
    assert.equal(removal.status, 200, removal.text);
    return (await managed.ask({ token: made.json.secret }, "GET", "/me")).status;
  };
  assert.equal(await statusAfter(), 200);
  assert.equal(await statusAfter({ keys: true }), 401);
});

test("the tokens that an operator made end with a session of that name", async () => {
  const operator = await managed.operatorSession("Sam");
  const made = await managed.ask(operator, "POST", "/tokens", { body: { name: "of Sam" } });
  const [session] = (await managed.ask(operator, "GET", "/sessions")).json.data;
  const path = `/operators/sessions/${session.id}`;
  assert.equal((await managed.ask(managed.operator, "DELETE", path, { body: { tokens: true } })).status, 200);
  assert.equal((await managed.ask({ token: made.json.secret }, "GET", "/session")).status, 401);
  const { data } = (await managed.ask(managed.operator, "GET", "/tokens?created_by=Sam")).json;
  assert.deepEqual([data.length, data[0].id, data[0].revoked_at !== null], [1, made.json.id, true]);
});

test("a change whose body comes after its session has ended or its token was revoked is a 401", async () => {
  const organization = await managed.newOrganization();
  const member = await managed.newMember(organization, "admin");
  const admin = await managed.signedIn(member);
  const path = `/organizations/${organization}/tokens`;
  const made = await managed.ask(admin, "POST", path, { body: { name: "of the admin", role: "admin" } });
  const begin = async (who: Identity) => {
    const found = mock.method(managed.store, "token" in who ? "findToken" : "findSession");
    const headers =
      "token" in who ? { authorization: `Bearer ${who.token}` } : { cookie: who.cookie, "x-csrf-token": who.csrf };
    const url = `${managed.baseUrl}/manage/api${path}`;
    const sent = request(url, { method: "POST", headers: { ...headers, "content-type": "application/json" } });
    sent.flushHeaders();
    await until("the head is read", () => found.mock.callCount() > 0);
    await found.mock.calls[0]?.result;
    found.mock.restore();
    return async () => {
      sent.end(JSON.stringify({ name: "made too late", role: "admin" }));
      const [{ statusCode }] = (await once(sent, "response")) as [IncomingMessage];
      return statusCode;
    };
  };
  const ends = [await begin(admin), await begin({ token: made.json.secret })];
  assert.equal((await managed.ask(managed.operator, "DELETE", pathOf(member), { body: { tokens: true } })).status, 200);
  assert.deepEqual([await ends[0]?.(), await ends[1]?.()], [401, 401]);
  const { data } = (await managed.ask(managed.operator, "GET", path)).json;
  assert.deepEqual(
    data.map(({ name, revoked_at: at }: Loose) => [name, at !== null]),
    [["of the admin", true]],
  );
});
