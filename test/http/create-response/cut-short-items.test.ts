// The part of a truncated output that enters the history. @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import type { Act } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const CUT: Act = [{ type: "finished", incompleteReason: "max_output_tokens" }];
const TOOLS = [{ type: "function", name: "look_up" }];

/** The items of a conversation whose only response was cut short, its output, and what the next response sends. */
async function cutShort(...acts: readonly Act[]) {
  const { json: conversation } = await service.request("POST", "/v1/conversations");
  service.provider.plays([...acts, CUT]);
  const { json } = await service.create({ conversation: conversation.id, input: "Tell", tools: TOOLS });
  assert.equal(json.status, "incomplete");
  const { json: list } = await service.request("GET", `/v1/conversations/${conversation.id}/items`);
  const retrieved = await service.request("GET", `/v1/responses/${json.id}`);
  assert.deepEqual(retrieved.json.output, json.output);
  assert.equal((await service.create({ conversation: conversation.id, input: "More" })).status, 200);
  const sent = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text ?? item.type);
  const summarize = (items: readonly Loose[]) => items.map(({ type, status }) => `${type} ${status}`);
  return { output: summarize(json.output), listed: summarize(list.data), sent };
}

test("a text that was cut short is in the history, as far as it came", async () => {
  assert.deepEqual(await cutShort([{ type: "text", text: "Once upon" }]), {
    output: ["message incomplete"],
    listed: ["message completed", "message incomplete"],
    sent: ["Tell", "Once upon", "More"],
  });
});

test("a call that was cut short is in its response only; one that was whole is listed too", async () => {
  const whole: Act = [
    { type: "call_started", index: 0, callId: "whole", name: "look_up" },
    { type: "call_arguments", index: 0, delta: "{}" },
    { type: "call_finished", index: 0 },
  ];
  const begun: Act = [
    { type: "call_started", index: 1, callId: "begun", name: "look_up" },
    { type: "call_arguments", index: 1, delta: '{"a' },
  ];
  assert.deepEqual(await cutShort([{ type: "text", text: "Wait" }], whole, begun), {
    output: ["message completed", "function_call completed", "function_call incomplete"],
    listed: ["message completed", "message completed", "function_call completed"],
    sent: ["Tell", "Wait", "More"],
  });
});
