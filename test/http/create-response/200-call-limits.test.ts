// POST /v1/responses: calls past a limit. @spec endpoints/post-responses (Tool loop)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Reply, Loose } from "../../support/http-client.ts";
import { calls } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { TESTS } from "../../support/actor.ts";
import { TOOLS, output, waitingOn } from "./tool-loop.ts";

const service = await serviceForFile();

const waiting = waitingOn(service);

describe("calls past a limit are neither returned nor run, and counted", () => {
  const made = ["a", "b", "c"];
  const returned = ({ json }: Reply) => json.output.map(({ call_id }: Loose) => call_id);

  test("max_tool_calls", async () => {
    const first = await waiting(made, { max_tool_calls: 2 });
    assert.deepEqual(returned(first), ["a", "b"]);
    assert.equal(first.json["svc:tool_calls_dropped"], 1);
  });

  test("no limit drops nothing", async () => {
    const first = await waiting(made);
    assert.deepEqual(returned(first), made);
    assert.equal("svc:tool_calls_dropped" in first.json, false);
  });

  test("a continuation counts from zero against the same limit", async () => {
    const first = await waiting(["a"], { max_tool_calls: 1 });
    service.provider.plays(calls({ callId: "b" }, { callId: "c" }));
    const second = await service.create({
      input: [output("a")],
      previous_response_id: first.json.id,
      max_tool_calls: 5,
    });
    assert.deepEqual(returned(second), ["b"]);
    assert.deepEqual([second.json.max_tool_calls, second.json["svc:tool_calls_dropped"]], [1, 1]);
  });

  test("parallel_tool_calls false asks for one call a response", async () => {
    const first = await waiting(made, { parallel_tool_calls: false });
    assert.deepEqual(returned(first), ["a"]);
    assert.equal(first.json["svc:tool_calls_dropped"], 2);
    assert.equal(service.provider.calls.at(-1)?.prompt.parallelToolCalls, false);
  });

  test("the organization's calls a response", async () => {
    const { organizationId } = await service.newOrganization();
    const policy = { allowModels: null, denyModels: [], toolCallsPerTurn: 1 };
    await service.store.updateOrganization({ by: TESTS, organizationId, policy });
    const { secret } = await service.newKey(organizationId);
    service.provider.plays(calls({ callId: "a" }, { callId: "b" }));
    const first = await service.create({ input: "Hi", tools: TOOLS, max_tool_calls: 5 }, { key: secret });
    assert.deepEqual([returned(first), first.json["svc:tool_calls_dropped"]], [["a"], 1]);
  });

  test("the organization's calls a response count over all of its rounds; the next response has as many again", async () => {
    const { organizationId } = await service.newOrganization();
    const policy = { allowModels: null, denyModels: [], toolCallsPerTurn: 3 };
    await service.store.updateOrganization({ by: TESTS, organizationId, policy });
    const { secret: key } = await service.newKey(organizationId);
    const take = async (callIds: readonly string[], body: object) => {
      service.provider.plays(calls(...callIds.map((callId) => ({ callId }))));
      const reply = await service.create({ tools: TOOLS, ...body }, { key });
      assert.equal(reply.status, 200, reply.text);
      return [reply.json.id, returned(reply), reply.json["svc:tool_calls_dropped"] ?? 0] as const;
    };
    const [first, made1] = await take(["a", "b"], { input: "Hi" });
    assert.deepEqual(made1, ["a", "b"]);
    const [second, made2, dropped2] = await take(["c", "d"], {
      previous_response_id: first,
      input: [output("a"), output("b")],
    });
    assert.deepEqual([made2, dropped2], [["c"], 1]);
    const [third, made3, dropped3] = await take(["e"], { previous_response_id: second, input: [output("c")] });
    assert.deepEqual([made3, dropped3], [[], 1]);
    const [, made4] = await take(["f", "g", "h"], { previous_response_id: third, input: "Next" });
    assert.deepEqual(made4, ["f", "g", "h"]);
  });
});
