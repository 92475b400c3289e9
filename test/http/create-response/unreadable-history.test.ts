// POST /v1/responses on a history with unreadable stored data: the response continues without it, with a warning.
// @spec resources/conversation-item-list; docs/wire.md (Objects)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { calls } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "found" });

/** A response whose round left a state, and whose call waits. */
async function waiting(continues: object, callId: string): Promise<string> {
  const state = { type: "state", state: { of: callId } } as const;
  service.provider.plays([[state], ...calls({ callId })]);
  const { json } = await service.create({ ...continues, tools: TOOLS });
  return json.id;
}

test("tool outputs continue a turn whose provider state cannot be read, without that state", async () => {
  for (const stream of [false, true]) {
    const first = await waiting({ input: "Look" }, "a");
    const second = await waiting({ previous_response_id: first, input: [output("a")] }, "b");
    await runSql(service, "update responses set provider_state = '{' where public_id = :id", { id: first });
    const body = { previous_response_id: second, input: [output("b")] };
    const json: Loose = stream
      ? (await service.stream(body)).events.at(-1)?.data.response
      : (await service.create(body)).json;
    assert.equal(json.status, "completed", JSON.stringify(json));
    const sent = service.provider.calls.at(-1)?.prompt.items ?? [];
    assert.deepEqual(
      sent.map((item) => (item.type === "state" ? item.state : item.type)),
      ["message", "call", "result", { of: "b" }, "call", "result"],
    );
    assert.deepEqual(
      json["svc:warnings"].map(({ code }: Loose) => code),
      ["history_unreadable"],
    );
    // A later user turn is sent no states, and gets no warning.
    const next = await service.create({ previous_response_id: json.id, input: "More" });
    assert.deepEqual([next.status, next.json["svc:warnings"]], [200, undefined]);
  }
});
