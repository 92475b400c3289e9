// Responses that wait for calls, and the outputs that answer them.
import assert from "node:assert/strict";
import type { Reply } from "../../support/http-client.ts";
import { calls } from "../../support/scripted-provider.ts";
import type { TestService } from "../../support/service.ts";

export const TOOLS = [{ type: "function", name: "look_up", description: null, parameters: null, strict: null }];

export const output = (callId: string, result = "found") => ({
  type: "function_call_output",
  call_id: callId,
  output: result,
});

/** Makes responses of a service that wait for the given calls. */
export function waitingOn(service: TestService) {
  return async (callIds: readonly string[], body: object = {}): Promise<Reply> => {
    service.provider.plays(calls(...callIds.map((callId) => ({ callId }))));
    const reply = await service.create({ input: "Look it up", tools: TOOLS, ...body });
    assert.equal(reply.json.status, "completed", reply.text);
    return reply;
  };
}
