// POST /v1/responses: a queued turn sends its history without what was deleted before it started.
// @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile({ limits: { concurrent_turns: 1 } });

test("a response and an item that are deleted while a turn is queued are not sent to its model", async () => {
  const items = [{ role: "user", content: "ITEM" }];
  const conversation = (await service.request("POST", "/v1/conversations", { body: { items } })).json.id;
  const path = `/v1/conversations/${conversation}/items`;
  const [item] = (await service.request("GET", path)).json.data;
  const first = await service.create({ conversation, input: "FIRST" });
  await service.create({ conversation, input: "SECOND" });
  const { opened, open } = gate();
  service.provider.plays([opened, ...says("busy")]);
  const asked = service.provider.calls.length;
  const busy = service.create({ input: "Busy" });
  await until("the call", () => service.provider.calls.length > asked);
  const queued = service.create({ conversation, input: "QUEUED" });
  await until("the queue", () => service.gateway.runs.slots.queued() === 1);
  await service.request("DELETE", `/v1/responses/${first.json.id}`);
  await service.request("DELETE", `${path}/${item.id}`);
  open();
  await busy;
  assert.equal((await queued).json.status, "completed");
  const sent = service.provider.calls.at(-1)?.prompt.items.map((each) => ("text" in each ? each.text : each.type));
  assert.deepEqual(sent, ["SECOND", "ok", "QUEUED"]);
});
