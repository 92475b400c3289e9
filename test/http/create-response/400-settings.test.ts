// POST /v1/responses with a setting that the model does not take, or a model that the organization may not use.
// @spec endpoints/model-settings
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { TESTS } from "../../support/actor.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];

describe("settings by group of models", () => {
  const values: Record<string, object> = {
    parallel_tool_calls: { parallel_tool_calls: true },
    temperature: { temperature: 1 },
    top_p: { top_p: 1 },
    presence_penalty: { presence_penalty: 0 },
    frequency_penalty: { frequency_penalty: 0 },
    "text.format": { text: { format: { type: "text" } } },
    "text.verbosity": { text: { verbosity: "medium" } },
  };
  const groups: Record<string, readonly string[]> = {
    "test/group-a": ["parallel_tool_calls", "text.format"],
    "test/group-b": ["temperature", "top_p", "presence_penalty", "frequency_penalty", "text.format"],
    "test/group-c": ["parallel_tool_calls", "text.format", "text.verbosity"],
    "test/thinking": ["parallel_tool_calls", "presence_penalty", "frequency_penalty", "text.format", "text.verbosity"],
  };
  for (const [model, accepted] of Object.entries(groups)) {
    test(`${model} takes ${accepted.join(", ")} and rejects the others by name, defaults too`, async () => {
      for (const [setting, body] of Object.entries(values)) {
        const reply = await service.create({ input: "Hi", model, ...body });
        if (accepted.includes(setting)) {
          assert.equal(reply.status, 200, setting);
          continue;
        }
        const param = setting.split(".")[0] ?? null;
        const message = new RegExp(`${model}.*${setting.replace(".", "\\.")}`);
        assertApiError(reply, { status: 400, code: "invalid_input", param, message });
      }
    });
  }

  test("temperature is 0 to 2 and top_p 0 to 1, inclusive", async () => {
    for (const body of [{ temperature: 0 }, { temperature: 2 }, { top_p: 0 }, { top_p: 1 }]) {
      assert.equal((await service.create({ input: "Hi", model: "test/group-b", ...body })).status, 200);
    }
  });

  test("a setting is judged by the model that a later response carries", async () => {
    const first = await service.create({ input: "Hi", model: "test/group-a" });
    const reply = await service.create({
      input: "Hi",
      model: undefined,
      previous_response_id: first.json.id,
      temperature: 1,
    });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "temperature", message: /test\/group-a/ });
  });
});

test("a choice that forces a call is rejected on a model that cannot be forced; others are not", async () => {
  const body = { input: "Hi", model: "test/unforced", tools: TOOLS };
  const allowed = { type: "allowed_tools", tools: [{ name: "look_up" }] };
  for (const choice of ["required", { type: "function", name: "look_up" }, { ...allowed, mode: "required" }]) {
    const reply = await service.create({ ...body, tool_choice: choice });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "tool_choice", message: /test\/unforced/ });
  }
  for (const choice of ["auto", "none", allowed]) {
    assert.equal((await service.create({ ...body, tool_choice: choice })).status, 200);
  }
});

test("the choice of a response forces calls of its later rounds too: another model that cannot be forced is rejected", async () => {
  service.provider.plays(calls({ callId: "c" }));
  const first = await service.create({ input: "Hi", tools: TOOLS, tool_choice: "required" });
  const outputs = {
    previous_response_id: first.json.id,
    input: [{ type: "function_call_output", call_id: "c", output: "" }],
  };
  // The outputs cannot change the choice, so the message does not recommend it.
  const message = /test\/unforced.*: use another model, or begin the turn with "auto"/;
  const rejected = await service.create({ ...outputs, model: "test/unforced", tool_choice: "auto" });
  assertApiError(rejected, { status: 400, code: "invalid_input", param: "tool_choice", message });
  assert.equal((await service.create(outputs)).status, 200);
});

describe("a model that the organization's policy forbids", () => {
  for (const [name, policy, model] of [
    ["denied", { allowModels: null, denyModels: ["test/all"], toolCallsPerTurn: null }, "test/all"],
    ["not among the allowed", { allowModels: ["test/group-a"], denyModels: [], toolCallsPerTurn: null }, "test/all"],
    ["denied and named bare", { allowModels: null, denyModels: ["test/all"], toolCallsPerTurn: null }, "all"],
  ] as const) {
    test(name, async () => {
      const { organizationId } = await service.newOrganization();
      const { secret } = await service.newKey(organizationId);
      const first = await service.create({ input: "Hi" }, { key: secret });
      await service.store.updateOrganization({ by: TESTS, organizationId, policy });
      const expected = { status: 400, code: "model_policy_violation", param: "model", message: /test\/all/ };
      assertApiError(await service.create({ input: "Hi", model }, { key: secret }), expected);
      const later = { input: "Hi", model: undefined, previous_response_id: first.json.id };
      assertApiError(await service.create(later, { key: secret }), expected);
      assert.equal((await service.create({ input: "Hi", model: "test/group-a" }, { key: secret })).status, 200);
      const models = await service.request("GET", "/v1/models", { key: secret });
      assert.ok(models.json.data.some(({ id }: { id: string }) => id === "test/all"));
    });
  }
});
