// item_reference in the input. @spec resources/input-items
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const user = (content: unknown, more = {}) => ({ type: "message", role: "user", content, ...more });

const said = (text: string) => ({ type: "message", role: "user", text });

/** The part of the last response's input that the model was sent. */
function sent(): Loose {
  return service.provider.calls.at(-1)?.prompt.items;
}

test("an item_reference to an item in the history adds nothing; an unknown one is rejected naming it", async () => {
  const first = await service.create({ input: "Hi" });
  const known = first.json.output[0].id;
  const input = [{ type: "item_reference", id: known }, { id: known }, user("more")];
  const second = await service.create({ input, previous_response_id: first.json.id });
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(sent(), [
    said("Hi"),
    { type: "assistant", text: "ok", isRefusal: false, phase: null },
    said("more"),
  ]);
  const unknown = await service.create({
    input: [user("a"), { type: "item_reference", id: "msg_none" }],
    previous_response_id: first.json.id,
  });
  assertApiError(unknown, {
    status: 400,
    code: "invalid_input",
    param: "input",
    message: /input\[1\] \(item_reference\).*"msg_none"/,
  });
});

test("an item_reference on a first response is rejected, also in a conversation with items", async () => {
  const items = [user("before")];
  const conversation = await service.request("POST", "/v1/conversations", { body: { items } });
  const path = `/v1/conversations/${conversation.json.id}/items`;
  const { json } = await service.request("GET", path);
  const input = [{ type: "item_reference", id: json.data[0].id }, user("Hi")];
  const asked = { conversation: conversation.json.id, input };
  const message = /input\[0\] \(item_reference\): the first turn/;
  assertApiError(await service.create(asked), { status: 400, code: "invalid_input", param: "input", message });
  await service.create({ ...asked, input: "Hi" });
  assert.equal((await service.create(asked)).status, 200);
});
