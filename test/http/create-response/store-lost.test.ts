// A store that is lost for good while responses run: every waiting client gets the error at once. docs/reliability.md,
// F-41
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../src/ports/store/store.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

test("a create and a cancel that wait get 503 database_unavailable, a stream ends unresolved", async () => {
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED], [opened, FINISHED]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.in_progress");
  const waiting = service.create({ input: "Hi" });
  await until("both calls", () => service.provider.calls.length === 2);
  service.gateway.giveUp(new StoreError("gone", "The database file was deleted."));
  assertApiError(await waiting, { status: 503, code: "database_unavailable" });
  await stream.closed;
  const last = stream.events.at(-1);
  assert.deepEqual([last?.event, last?.data.code], ["error", "response_unresolved"]);
  const cancelled = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  assertApiError(cancelled, { status: 503, code: "database_unavailable" });
  open();
});
