// A response whose end another process stored: the stored end counts. @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, settleOf } from "../../store/fixtures.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

test("its client gets the stored end, whatever its model emitted since", async () => {
  const { opened, open } = gate();
  service.provider.plays([[{ type: "text", text: "late" }], opened, FINISHED]);
  const pending = service.create({ input: "Hi" });
  await until("the call", () => service.provider.calls.length === 1);
  const [row] = (await dumpTables(service))["responses"] as { public_id: string }[];
  const end = endOf([], { status: "failed", error: { code: "run_failed", message: "Settled elsewhere." } });
  await service.store.settleResponse({ ...settleOf(row?.public_id as never, [], end), entersHistory: false });
  open();
  const { status, json } = await pending;
  assert.deepEqual([status, json.status, json.output], [200, "failed", []]);
  assert.deepEqual(json.error, { code: "run_failed", message: "Settled elsewhere." });
  assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).json.error.message, "Settled elsewhere.");
});

test("one that was cancelled elsewhere, without its input, cannot be continued", async () => {
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED]);
  const calls = service.provider.calls.length;
  const pending = service.create({ input: "Hi" });
  await until("the call", () => service.provider.calls.length > calls);
  const row = ((await dumpTables(service))["responses"] as { public_id: string }[]).at(-1);
  const end = endOf([], { status: "cancelled" });
  await service.store.settleResponse({ ...settleOf(row?.public_id as never, [], end), entersHistory: false });
  open();
  const { json } = await pending;
  assert.equal(json.status, "cancelled");
  const reply = await service.create({ input: "And?", previous_response_id: json.id });
  assertApiError(reply, { status: 400, code: "invalid_input", param: "previous_response_id", message: /input again/ });
});
