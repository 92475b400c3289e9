// POST /v1/responses: what is deleted before a response starts is not sent, and a response whose conversation is
// deleted is cancelled.
// @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { output, TOOLS } from "./tool-loop.ts";

/** Holds the store's answer to a begin back. */
let beginning: Promise<void> | null = null;
const service = await serviceForFile({
  limits: { concurrent_turns: 1 },
  wrapStore: (store) => ({
    ...store,
    async beginResponse(begin) {
      const outcome = await store.beginResponse(begin);
      await beginning;
      return outcome;
    },
  }),
});

/** Creates a response that waits in the queue behind another one. `end` ends that one and waits for both. */
async function queue(body: object) {
  const { opened, open } = gate();
  service.provider.plays([opened, ...says("busy")]);
  const asked = service.provider.calls.length;
  const busy = service.create({ input: "Busy" });
  await until("the call", () => service.provider.calls.length > asked);
  const queued = service.create(body);
  await until("the queue", () => service.gateway.runs.slots.queued() === 1);
  return async () => {
    open();
    await busy;
    return (await queued).json;
  };
}

/** What the last call of a model was sent. */
const sent = () => service.provider.calls.at(-1)?.prompt.items.map((each) => ("text" in each ? each.text : each.type));

test("a response and an item that are deleted while a response is queued are not sent to its model", async () => {
  const items = [{ role: "user", content: "ITEM" }];
  const conversation = (await service.request("POST", "/v1/conversations", { body: { items } })).json.id;
  const path = `/v1/conversations/${conversation}/items`;
  const [item] = (await service.request("GET", path)).json.data;
  const first = await service.create({ conversation, input: "FIRST" });
  await service.create({ conversation, input: "SECOND" });
  const end = await queue({ conversation, input: "QUEUED" });
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  await service.request("DELETE", `${path}/${item.id}`);
  assert.equal((await end()).status, "completed");
  assert.deepEqual(sent(), ["SECOND", "ok", "QUEUED"]);
});

/** A create in a conversation that has more than is ever read of it. */
async function longHistory() {
  const items = [{ role: "user", content: "o".repeat(1_200_000) }];
  const conversation = (await service.request("POST", "/v1/conversations", { body: { items } })).json.id;
  return { model: "test/small", max_output_tokens: 100, truncation: "auto", conversation, tools: TOOLS };
}

test("of a response whose first response is deleted while its outputs are queued, the rest is sent", async () => {
  const base = await longHistory();
  await service.create({ ...base, input: `OLD${"o".repeat(1500)}` });
  service.provider.plays(calls({ callId: "a" }), calls({ callId: "b" }));
  const first = await service.create({ ...base, input: `TASK${"t".repeat(1000)}` });
  await service.create({ ...base, input: [output("a", "r".repeat(700))] });
  const end = await queue({ ...base, input: [output("b")] });
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  const ended = await end();
  assert.equal(ended.status, "completed", JSON.stringify(ended));
  assert.deepEqual(
    sent()?.map((item) => item?.slice(0, 4)),
    ["OLDo", "ok", "call", "resu"],
  );
});

test("a response whose calls are deleted while their outputs are queued fails, for free and without a model", async () => {
  const base = await longHistory();
  await service.create({ ...base, input: `OLD${"o".repeat(1500)}` });
  service.provider.plays(calls({ callId: "a" }));
  const first = await service.create({ ...base, input: `TASK${"t".repeat(1000)}` });
  const end = await queue({ ...base, input: [output("a")] });
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  const ended = await end();
  assert.deepEqual([ended.status, ended.error?.code], ["failed", "run_failed"], JSON.stringify(ended));
  assert.match(ended.error.message, /deleted/);
  assert.deepEqual(ended.usage, first.json.usage, "that of the rounds before");
  assert.deepEqual(sent(), ["Busy"]);
  const items = (await service.request("GET", `/v1/conversations/${base.conversation}/items`)).json.data;
  assert.ok(!items.some(({ type }: { type: string }) => type === "function_call_output"));
});

test("a queued response whose conversation is deleted is cancelled and calls no model", async () => {
  const conversation = (await service.request("POST", "/v1/conversations")).json.id;
  const end = await queue({ conversation, input: "QUEUED" });
  await service.request("DELETE", `/v1/conversations/${conversation}`);
  await until("the cancellation", () => service.gateway.runs.slots.queued() === 0);
  const asked = service.provider.calls.length;
  assert.equal((await end()).status, "cancelled");
  assert.equal(service.provider.calls.length, asked);
});

test("a queued response whose conversation another node deletes is cancelled and calls no model", async () => {
  const conversationId = (await service.request("POST", "/v1/conversations")).json.id;
  const end = await queue({ conversation: conversationId, input: "QUEUED" });
  // Once it is listed, the deletion finds it stored.
  const caller = { organizationId: service.organizationId, keyId: service.keyId };
  const queued = async () => (await service.store.listRunning({ organizationId: null, limit: 1 })).queued;
  await until("the begin", async () => (await queued()) === 1);
  await service.store.deleteConversation({ caller, conversationId });
  const asked = service.provider.calls.length;
  assert.equal((await end()).status, "cancelled");
  assert.equal(service.provider.calls.length, asked);
});

test("a response that began just before its conversation was deleted is cancelled", async () => {
  const conversation = (await service.request("POST", "/v1/conversations")).json.id;
  const path = `/v1/conversations/${conversation}`;
  const begun = Promise.withResolvers<void>();
  beginning = begun.promise;
  const open = service.provider.playsLater("late");
  const created = service.create({ conversation, input: "x" });
  const running = async () => (await service.store.listRunning({ organizationId: null, limit: 1 })).inProgress;
  await until("the begin", async () => (await running()) === 1);
  const deleted = service.request("DELETE", path);
  await until("the deletion", async () => (await service.request("GET", path)).status === 404);
  begun.resolve();
  assert.equal((await deleted).status, 200);
  open();
  assert.equal((await created).json.status, "cancelled");
});
