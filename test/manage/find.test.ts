// What an id leads to, over the management interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { fails } from "../support/scripted-provider.ts";
import { type Identity, managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile();
const { service } = managed;
const { organizationId } = await service.newOrganization();
const owner = await managed.newPerson(organizationId, "owner");
const person = await managed.newMember(organizationId, "member", "ada@acme.test");
const member = await managed.signedIn(person);
const stranger = await managed.newPerson(organizationId, "member");
const made = await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, {
  body: { name: "of Ada", member: person.id },
});
const { id: keyId, secret: key } = made.json;

async function find(who: Identity, id: string): Promise<Loose> {
  const path = `/organizations/${organizationId}/ids/${encodeURIComponent(id)}`;
  const { status, json, text } = await managed.ask(who, "GET", path);
  assert.equal(status, 200, text);
  assert.equal(Check(replyShape("findById"), json as unknown), true, text);
  return json;
}

const create = (body: object) => service.create({ model: "test/all", input: "a secret", ...body }, { key });

test("a response is found by its id, by the id of its create and by its provider's request id; only by whose it is", async () => {
  service.provider.plays([fails("provider_error", { status: 500, requestId: "req_of_provider" })]);
  const { json: response, headers } = await create({});
  const requestId = String(headers["x-request-id"]);
  const found = { kind: "response", id: response.id, name: "test/all", state: "failed", at: response.created_at };
  for (const id of [response.id, requestId, "req_of_provider"]) {
    assert.deepEqual(await find(owner, id), { data: [found], searched_from: null }, id);
    assert.deepEqual((await find(member, id)).data, [found], id);
    assert.deepEqual((await find(stranger, id)).data, [], id);
  }
  const turn = await managed.ask(owner, "GET", `/organizations/${organizationId}/turns/${response.id}`);
  assert.equal(turn.json.request_id, requestId);
  const { json: log } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turns?limit=1`);
  assert.equal(log.data[0].request_id, requestId);
});

test("a rejected request, a conversation, a key, a member and a model are found by their ids", async () => {
  const rejected = await create({ model: "test/none" });
  await service.gateway.rejections.write();
  const requestId = String(rejected.headers["x-request-id"]);
  const { json: conversation } = await service.request("POST", "/v1/conversations", { key, body: {} });
  for (const [who, id, kind, name, state] of [
    [owner, requestId, "rejected_request", "of Ada", "invalid_input"],
    [member, requestId, "rejected_request", "of Ada", "invalid_input"],
    [owner, conversation.id, "conversation", "of Ada", null],
    [member, conversation.id, "conversation", "of Ada", null],
    [owner, keyId, "key", "of Ada", null],
    [member, keyId, "key", "of Ada", null],
    [owner, person.id, "member", "ada@acme.test", "member"],
    [stranger, person.id, "member", "ada@acme.test", "member"],
    [stranger, "test/all", "model", "test/all", null],
  ] as const) {
    const [{ at: _, ...one }, ...more] = (await find(who, id)).data;
    assert.deepEqual([one, more], [{ kind, id, name, state }, []]);
  }
  for (const id of [requestId, conversation.id, keyId]) assert.deepEqual((await find(stranger, id)).data, [], id);
});

test("an id that a client sends, however long, names no request: the service's own does", async () => {
  for (const sent of ["req_mine", "req_".padEnd(300, "m")]) {
    const rejected = await service.create(
      { model: "test/none", input: "Hi" },
      { key, headers: { "x-request-id": sent } },
    );
    const requestId = String(rejected.headers["x-request-id"]);
    assert.notEqual(requestId, sent);
    await service.gateway.rejections.write();
    assert.equal((await find(owner, requestId)).data[0].kind, "rejected_request");
    assert.deepEqual((await find(owner, sent)).data, []);
    const path = `/organizations/${organizationId}/rejections/${sent}`;
    assert.equal((await managed.ask(owner, "GET", path)).status, 404);
  }
});

test("a provider's request id that is longer than what is kept of it is found", async () => {
  const kept = "p".repeat(200);
  service.provider.plays([fails("provider_error", { status: 500, requestId: kept })]);
  const { json: response } = await create({});
  assert.deepEqual(
    (await find(owner, `${kept}and more`)).data.map(({ id }: Loose) => id),
    [response.id],
  );
});

test("nothing is found of what is another organization's, of a secret, or of a text that is too long", async () => {
  const { json: response } = await create({});
  const elsewhere = await managed.newOrganization();
  const path = `/organizations/${elsewhere}/ids/`;
  const other = await managed.newPerson(elsewhere, "owner");
  for (const id of [response.id, keyId, person.id]) {
    assert.deepEqual((await managed.ask(other, "GET", path + id)).json.data, [], id);
  }
  for (const id of [key, "req_".padEnd(300, "a"), "resp_nowhere"]) {
    assert.deepEqual(await find(owner, id), { data: [], searched_from: null });
  }
  const program = await managed.newProgram(organizationId, "member");
  assert.deepEqual((await find(program, response.id)).data, []);
});

test("an operator finds an id in any organization, with its name", async () => {
  const anywhere = async (id: string): Promise<Loose> => {
    const { status, json, text } = await managed.ask(managed.operator, "GET", `/ids/${encodeURIComponent(id)}`);
    assert.equal(status, 200, text);
    assert.equal(Check(replyShape("findAnywhere"), json as unknown), true, text);
    return json;
  };
  await managed.newOrganization();
  const { json: response } = await create({});
  const rejected = String((await create({ model: "test/none" })).headers["x-request-id"]);
  await service.gateway.rejections.write();
  for (const [id, kind] of [
    [response.id, "response"],
    [rejected, "rejected_request"],
    [keyId, "key"],
    [person.id, "member"],
  ]) {
    const found = await anywhere(String(id));
    assert.equal(found.organization, organizationId, String(id));
    assert.equal(typeof found.organization_name, "string");
    assert.deepEqual([found.data.length, found.data[0].kind], [1, kind], String(id));
  }
  const none = { organization: null, organization_name: null };
  assert.deepEqual(await anywhere("resp_nowhere"), { ...none, data: [], searched_from: null });
  assert.deepEqual(await anywhere(String(key)), { ...none, data: [], searched_from: null });
  const { data, ...of } = await anywhere("test/all");
  assert.deepEqual([data[0].kind, of], ["model", { ...none, searched_from: null }]);
});
