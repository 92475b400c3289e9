// A response whose stored ending cannot be read: its status still says how it ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { type Act, fails, FINISHED } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";

const service = await serviceForFile();

const TEXT: Act = [{ type: "text", text: "a" }];
const message = "How this response ended is stored, but cannot be read.";

for (const [status, script, shown] of [
  ["completed", [TEXT, FINISHED], { error: null, incomplete_details: null }],
  [
    "incomplete",
    [TEXT, [{ type: "finished", incompleteReason: "max_output_tokens" }]],
    { error: null, incomplete_details: { reason: "unknown" } },
  ],
  ["failed", [TEXT, fails("provider_error")], { error: { code: "run_failed", message }, incomplete_details: null }],
] as const) {
  test(`${status}: shown with a warning`, async () => {
    service.provider.plays(script);
    const { json } = await service.create({ input: "Hi" });
    assert.equal(json.status, status);
    for (const ending of ["{", "null", "{}"]) {
      await runSql(service, "update responses set ending = :ending where public_id = :id", { ending, id: json.id });
      const { status: http, json: read } = await service.request("GET", `/v1/responses/${json.id}`);
      assert.deepEqual([http, read.status, read.output], [200, status, json.output]);
      assert.deepEqual({ error: read.error, incomplete_details: read.incomplete_details }, shown);
      assert.deepEqual(
        read["svc:warnings"].map(({ code }: Loose) => code),
        ["ending_unreadable"],
      );
    }
  });
}
