// Failed responses and rejected requests in one list, over the management interface.
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
const person = await managed.newMember(organizationId, "member");
const member = await managed.signedIn(person);
const made = await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, {
  body: { name: "of a member", member: person.id },
});
const own = { keyId: String(made.json.id), secret: String(made.json.secret) };
const other = await service.newKey(organizationId);

async function list(query = "", who: Identity = owner): Promise<Loose> {
  const { status, json, text } = await managed.ask(who, "GET", `/organizations/${organizationId}/errors${query}`);
  assert.equal(status, 200, text);
  assert.equal(Check(replyShape("listErrors"), json as unknown), true, text);
  return json;
}

/** Makes a create that fails; the id of its request. */
async function create(key: { secret: string }, body: object = {}): Promise<string> {
  const { headers } = await service.create({ model: "test/all", input: "a secret", ...body }, { key: key.secret });
  await service.gateway.rejections.write();
  await service.clock.advance(2000);
  return String(headers["x-request-id"]);
}

const idsOf = ({ data }: Loose) => data.map(({ request_id: id }: Loose) => id);

test("both kinds stand in one list, newest first, with what they mean; pages and filters cut the same list", async () => {
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    service.provider.plays([fails("provider_client_error")]);
    ids.unshift(await create(own));
    service.provider.plays([fails("provider_overloaded")]);
    ids.unshift(await create(other));
    ids.unshift(await create(own, { temperature: "hot" }), await create(own, { model: "test/none" }));
    [ids[0], ids[1]] = [ids[1]!, ids[0]!];
  }
  const all = await list();
  assert.deepEqual([idsOf(all), all.has_more, all.older], [ids, false, null]);
  // The first four of the newest are of one round, 8 seconds long.
  const middle = all.data[5].at;
  const newer = await list(`?from=${middle}`);
  assert.deepEqual([...idsOf(newer), ...idsOf(await list(`?to=${middle}`))], ids);
  assert.deepEqual([newer.data.length, newer.has_more], [6, false]);
  assert.deepEqual(idsOf(await list(`?from=${middle}&to=${all.data[0].at}`)), ids.slice(1, 6));
  const [unknown, invalid, withdrawn, failed] = all.data;
  assert.deepEqual(
    [unknown, invalid, withdrawn, failed].map(({ kind, code, status, model, key, message }) => [
      kind,
      code,
      status,
      model,
      key,
      message,
    ]),
    [
      ["rejected", "invalid_input", 400, null, own.keyId, null],
      ["rejected", "invalid_input", 400, "test/all", own.keyId, null],
      ["withdrawn", "provider_overloaded", 502, "test/all", other.keyId, null],
      ["failed", "provider_client_error", null, "test/all", own.keyId, null],
    ],
  );
  assert.match(failed.response, /^resp_/);
  assert.match(withdrawn.rule, /overloaded/);
  assert.doesNotMatch(JSON.stringify(all), /a secret|scripted/);

  for (const limit of [1, 2, 5]) {
    const found: string[] = [];
    let older: string | null = "";
    for (let pages = 0; older !== null; pages++) {
      assert.ok(pages < 20, "the pages end");
      const before: string = older === "" ? "" : `&before=${encodeURIComponent(older)}`;
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
      const page: Loose = await list(`?limit=${limit}${before}`);
      found.push(...idsOf(page));
      ({ older } = page);
    }
    assert.deepEqual(found, ids, `pages of ${limit}`);
  }

  const of = async (query: string) => (await list(query)).data.length;
  assert.deepEqual(
    [
      await of("?code=provider_client_error"),
      await of("?code=invalid_input"),
      await of("?code=invalid_input&model=test/all"),
      await of(`?key=${other.keyId}`),
      await of("?code=run_failed"),
      (await list("", member)).data.length,
    ],
    [3, 6, 3, 3, 0, 9],
  );
  assert.deepEqual((await list("", await managed.newProgram(organizationId, "member"))).data, []);
  for (const query of ["?before=1", "?before=1/", "?code=none", "?before=x/y"]) {
    const { status } = await managed.ask(owner, "GET", `/organizations/${organizationId}/errors${query}`);
    assert.equal(status, 400, query);
  }
});

test("what several nodes reject is listed by time, in whatever order they write it, and no page loses any of it", async () => {
  const { organizationId: id } = await service.newOrganization();
  const { keyId } = await service.newKey(id);
  const nowMs = service.clock.nowMs();
  for (const batch of [
    [1, 4, 6],
    [2, 3, 5],
  ]) {
    const rejections = batch.map((at) => ({
      requestId: `req_${at}`,
      organizationId: id,
      keyId,
      atMs: nowMs + at,
      operation: "createResponse" as const,
      model: null,
      status: 400,
      code: "invalid_input" as const,
      param: null,
      message: null,
      skipped: 0,
      provider: null,
      providerStatus: null,
      providerRequestId: null,
    }));
    // oxlint-disable-next-line no-await-in-loop -- one node after the other
    await service.store.keepRejections({ rejections, failures: [] });
  }
  const found: string[] = [];
  for (let query = "?limit=2"; ; ) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const { json } = await managed.ask(managed.operator, "GET", `/organizations/${id}/errors${query}`);
    found.push(...idsOf(json));
    if (json.older === null) break;
    query = `?limit=2&before=${encodeURIComponent(json.older)}`;
  }
  assert.deepEqual(found, ["req_6", "req_5", "req_4", "req_3", "req_2", "req_1"]);
});
