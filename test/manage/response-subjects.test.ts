// Whom responses were for, over the management interface: filters of the log of turns.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Loose } from "../support/http-client.ts";
import { type Identity, ManagedService } from "./managed-service.ts";

let managed: ManagedService;
let organizationId: string;
let owner: Identity;
let member: Identity;
/** Keys of a member and of nobody. */
let mine: string;
let others: string;

before(async () => {
  managed = await ManagedService.start({ metadataKey: "customer" });
  ({ organizationId } = await managed.service.newOrganization());
  owner = await managed.newPerson(organizationId, "owner");
  const person = await managed.newMember(organizationId, "member", "ada@acme.test");
  member = await managed.signedIn(person);
  mine = await newKey({ name: "of Ada", member: person.id });
  others = await newKey({ name: "of nobody" });
});
after(() => managed.close());

async function newKey(body: object): Promise<string> {
  return String((await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, { body })).json.secret);
}

async function run(key: string, body: object): Promise<string> {
  const { status, json } = await managed.service.create({ model: "test/all", input: "Hi", ...body }, { key });
  assert.equal(status, 200, JSON.stringify(json));
  await managed.service.clock.advance(1000);
  return json.id;
}

async function list(who: Identity, query: string): Promise<readonly Loose[]> {
  const { status, json } = await managed.ask(who, "GET", `/organizations/${organizationId}/turns${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  return json.data;
}

const idsOf = (turns: readonly Loose[]) => turns.map(({ id }) => id).toReversed();

test("turns are found by end user and label; members find their own; the end user is never shown in clear", async () => {
  const first = await run(mine, { safety_identifier: "user-1", metadata: { customer: "a", secret: "s" } });
  const second = await run(others, { user: "user-1", metadata: { customer: "b=c" } });
  const third = await run(others, { safety_identifier: "user-2", user: "user-1", metadata: { other: "a" } });
  const shown = (await list(owner, "")).toReversed();
  const hash = shown[0]?.end_user;
  assert.match(hash, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    shown.map(({ end_user, label }) => [end_user, label]),
    [
      [hash, "customer=a"],
      [hash, "customer=b=c"],
      [shown[2]?.end_user, null],
    ],
  );
  assert.notEqual(shown[2]?.end_user, hash);
  assert.ok(!JSON.stringify(shown).includes("user-1"));

  assert.deepEqual(idsOf(await list(owner, `?end_user=${hash}`)), [first, second]);
  assert.deepEqual(idsOf(await list(owner, "?safety_identifier=user-1")), [first, second]);
  assert.deepEqual(idsOf(await list(member, `?end_user=${hash}`)), [first]);
  assert.deepEqual(idsOf(await list(owner, "?label=customer%3Db%3Dc")), [second]);
  assert.deepEqual(idsOf(await list(member, "?label=customer%3Db%3Dc")), []);
  assert.deepEqual(idsOf(await list(owner, "?label=none&conversation=none")), [third]);
  assert.deepEqual(idsOf(await list(owner, "?end_user=none")), []);
  assert.deepEqual(idsOf(await list(owner, "?safety_identifier=nobody")), []);
  const elsewhere = await managed.service.newOrganization();
  const stranger = await managed.newPerson(elsewhere.organizationId, "owner");
  const { json } = await managed.ask(
    stranger,
    "GET",
    `/organizations/${elsewhere.organizationId}/turns?end_user=${hash}`,
  );
  assert.deepEqual(json.data, []);
});

test("a later response is for the end user that it names itself", async () => {
  const first = await run(mine, { safety_identifier: "user-3" });
  const later = await run(mine, { previous_response_id: first, input: "Go on" });
  const [newest, older] = await list(owner, "?limit=2");
  assert.deepEqual([newest?.id, newest?.end_user], [later, null]);
  assert.notEqual(older?.end_user, null);
});

for (const [query, param] of [
  ["?end_user=", "end_user"],
  ["?label=customer", "label"],
  ["?end_user=a&safety_identifier=b", "safety_identifier"],
] as const) {
  test(`the filter ${query} is a 400 that names ${param}`, async () => {
    const { status, json } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turns${query}`);
    assert.deepEqual([status, json.error.param], [400, param]);
  });
}
