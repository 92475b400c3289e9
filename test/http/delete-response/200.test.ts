// DELETE /v1/responses/{response_id}. @spec states-and-transitions (Deletion of a response)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables, runSql } from "../../support/tables.ts";

const service = await serviceForFile();

const NOT_FOUND = { status: 404, code: "resource_not_found" };
const remove = (id: string, key = service.key) => service.request("DELETE", `/v1/responses/${id}`, { key });

test("it is deleted at once; repeating it is no error for its owner", async () => {
  const { json } = await service.create({ input: "Hi" });
  for (let round = 0; round < 3; round++) {
    const { status, json: deleted } = await remove(json.id);
    assert.equal(status, 200);
    assert.deepEqual(deleted, { id: json.id, object: "response.deleted", deleted: true });
    assertApiError(await service.request("GET", `/v1/responses/${json.id}`), NOT_FOUND);
  }
  assertApiError(await service.create({ input: "More", previous_response_id: json.id }), NOT_FOUND);
});

test("a failed one is deleted as well", async () => {
  service.provider.plays([[{ type: "text", text: "a" }], fails("provider_error")]);
  const { json } = await service.create({ input: "Hi" });
  assert.equal((await remove(json.id)).status, 200);
  assertApiError(await service.request("GET", `/v1/responses/${json.id}`), NOT_FOUND);
});

test("one that cannot be read is deleted as well", async () => {
  const { json } = await service.create({ input: "Hi" });
  await runSql(service, "update responses set head = 'x' where public_id = :id", { id: json.id });
  assertApiError(await service.request("GET", `/v1/responses/${json.id}`), { status: 500, code: "database_error" });
  assert.equal((await remove(json.id)).status, 200);
  assertApiError(await service.request("GET", `/v1/responses/${json.id}`), NOT_FOUND);
});

test("its messages and calls drop out of the conversation and of what later responses see; the others stay usable", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  const named = { conversation: conversation.json.id };
  service.provider.plays(says("A"), says("B"), says("C"));
  const first = await service.create({ ...named, input: "a" });
  const second = await service.create({ ...named, input: "b" });
  const third = await service.create({ ...named, input: "c" });
  await remove(second.json.id);
  const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  assert.deepEqual(
    json.data.map(({ content }: Loose) => content[0].text),
    ["a", "A", "c", "C"],
  );
  for (const { json: kept } of [first, third]) {
    assert.equal((await service.request("GET", `/v1/responses/${kept.id}`)).status, 200);
  }
  await service.create({ previous_response_id: third.json.id, input: "d" });
  const texts = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
  assert.deepEqual(texts, ["a", "A", "c", "C", "d"]);
});

test("after the latest was deleted the one before is the latest: naming it appends", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  const named = { conversation: conversation.json.id };
  const first = await service.create({ ...named, input: "a" });
  const second = await service.create({ ...named, input: "b" });
  await remove(second.json.id);
  await service.create({ previous_response_id: first.json.id, input: "c" });
  const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  assert.deepEqual(
    json.data.map(({ content }: Loose) => content[0].text),
    ["a", "ok", "c", "ok"],
  );
});

test("a branch keeps its view, except for what was deleted", async () => {
  const first = await service.create({ input: "a" });
  const second = await service.create({ input: "b", previous_response_id: first.json.id });
  const branch = await service.create({ input: "x", previous_response_id: first.json.id });
  await remove(second.json.id);
  const next = await service.create({ input: "y", previous_response_id: branch.json.id });
  assert.equal(next.status, 200);
  await remove(first.json.id);
  const last = await service.create({ input: "z", previous_response_id: next.json.id });
  assert.equal(last.status, 200);
  const texts = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
  assert.deepEqual(texts, ["x", "ok", "y", "ok", "z"]);
});

test("a running one is cancelled, billed for what was produced, and deleted", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  service.provider.plays([[{ type: "text", text: "secret canary" }], new Promise(() => {})]);
  const stream = await LiveStream.open(service, { conversation: conversation.json.id });
  await stream.sees("response.output_text.delta");
  const { aborted } = service.provider;
  assert.equal((await remove(stream.id)).status, 200);
  assert.equal(service.provider.aborted, aborted + 1);
  await stream.closed;
  const last = stream.events.at(-1);
  assert.deepEqual([last?.event, last?.data.response.status], ["response.failed", "cancelled"]);
  assertApiError(await service.request("GET", `/v1/responses/${stream.id}`), NOT_FOUND);
  const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  assert.deepEqual(json.data, []);
  const row = (await dumpTables(service))["responses"]?.find((found: Loose) => found.public_id === stream.id) as Loose;
  assert.ok(row.output_tokens > 0n);
  assert.equal((await service.create({ input: "Hi", conversation: conversation.json.id })).status, 200);
});

test("after its conversation is deleted, deleting a response is the uniform 404", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  const { json } = await service.create({ input: "Hi", conversation: conversation.json.id });
  const gone = await service.create({ input: "Hi", conversation: conversation.json.id });
  await remove(gone.json.id);
  await service.request("DELETE", `/v1/conversations/${conversation.json.id}`);
  assertApiError(await remove(json.id), NOT_FOUND);
  assertApiError(await remove(gone.json.id), NOT_FOUND);
});

test("only the key that created it can delete it", async () => {
  const { json, text } = await service.create({ input: "Hi" });
  const { secret } = await service.newKey();
  assertApiError(await remove(json.id, secret), NOT_FOUND);
  assertApiError(await remove("resp_none"), NOT_FOUND);
  assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).text, text);
});

test("content is erased from the file 30 days later, billing records stay", async () => {
  const { json } = await service.create({ input: "canary", metadata: { a: "canary" }, instructions: "canary" });
  await remove(json.id);
  const erase = () => service.store.eraseDeleted({ olderThanDays: 30, batch: 500, mayBlockWrites: false });
  await service.clock.advance(30 * 86_400_000 - 1000);
  await erase();
  const dump = async () =>
    JSON.stringify(await dumpTables(service), (_, value) => (typeof value === "bigint" ? String(value) : value));
  assert.match(await dump(), /canary/);
  await service.clock.advance(2000);
  await erase();
  assert.doesNotMatch(await dump(), /canary/);
  const row = (await dumpTables(service))["responses"]?.find((found: Loose) => found.public_id === json.id) as Loose;
  assert.equal(row.total_tokens, 15n);
  assert.equal((await remove(json.id)).status, 200);
  assertApiError(await service.request("GET", `/v1/responses/${json.id}`), NOT_FOUND);
});
