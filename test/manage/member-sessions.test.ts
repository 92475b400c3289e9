// What owners and admins see and end of the sessions of members.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TESTS } from "../support/actor.ts";
import { managedForFile } from "./managed-service.ts";

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
