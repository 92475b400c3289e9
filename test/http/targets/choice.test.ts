// Which target of a model runs a turn. docs/wire.md (Targets)
import assert from "node:assert/strict";
import { test } from "node:test";
import { MODEL_GROUPS, type Setting } from "../../../src/contract/settings.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";

const providers = scriptedProviders("small", "plain", "large");
const { small, plain, large } = providers.of;

const service = await serviceForFile({
  providers: providers.registry,
  models: [
    modelOfTargets([
      targetOf("small", { contextWindow: 3_000, defaultOutputTokens: 100, maxOutputTokens: 500 }),
      targetOf("plain", {
        order: 2,
        settings: new Set<Setting>(MODEL_GROUPS.A),
        forcedToolChoice: false,
        hasEndUserField: false,
      }),
      targetOf("large", { order: 3, thinking: { effort: "high" } }),
    ]),
    modelOfTargets(
      [
        targetOf("plain", { settings: new Set<Setting>(["temperature"]) }),
        targetOf("large", { order: 2, settings: new Set<Setting>(["top_p"]) }),
      ],
      { id: "test/narrow" },
    ),
  ],
});

const create = (body: object) => service.create({ model: "test/targets", input: "Hi", ...body });
const counts = () => [small, plain, large].map((provider) => provider.calls.length);

/** Which of the three ran meanwhile. */
async function callsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const before = counts();
  await work();
  return counts().map((count, at) => count - (before[at] ?? 0));
}

test("a turn runs at the target of the lowest order, which the response names, also when it is read later", async () => {
  const ran = await callsDuring(async () => {
    const { json } = await create({});
    assert.deepEqual([json.model, json["svc:target"]], ["test/targets", "small/m"]);
    assert.equal("svc:attempts" in json, false);
    assert.deepEqual((await service.request("GET", `/v1/responses/${json.id}`)).json, json);
  });
  assert.deepEqual(ran, [1, 0, 0]);
  assert.equal(small.calls.at(-1)?.model.upstreamModel, "m");
});

test("the list of models has a model with targets once", async () => {
  const { json } = await service.request("GET", "/v1/models");
  assert.deepEqual(
    json.data.map(({ id }: { id: string }) => id),
    ["test/targets", "test/narrow"],
  );
});

test("a target whose window is too small is passed over", async () => {
  const { json } = await create({ input: "x".repeat(4000) });
  assert.equal(json["svc:target"], "plain/m");
});

test("with truncation auto a target that takes the whole history goes before one that takes the end of it", async () => {
  const first = await create({ input: "x".repeat(3000) });
  assert.equal(first.json["svc:target"], "small/m");
  const { json } = await create({ input: "y".repeat(3000), previous_response_id: first.json.id, truncation: "auto" });
  assert.deepEqual([json["svc:target"], json["svc:warnings"]], ["plain/m", undefined]);
});

test("a target that lacks a setting, or does not force calls, is passed over; the response reports what applied", async () => {
  const tools = [{ type: "function", name: "look_up" }];
  for (const body of [
    { input: "x".repeat(4000), temperature: 0.5 },
    { input: "x".repeat(4000), tools, tool_choice: "required" },
  ]) {
    const { json } = await create(body);
    assert.equal(json["svc:target"], "large/m");
    assert.equal(json.reasoning.effort, "high");
  }
});

test("a target without a field for the end user is a warning where it runs", async () => {
  const warned = async (input: string) => {
    const { json } = await create({ input, safety_identifier: "user" });
    return json["svc:warnings"]?.map(({ code }: { code: string }) => code);
  };
  assert.equal(await warned("Hi"), undefined);
  assert.deepEqual(await warned("x".repeat(4000)), ["safety_identifier_not_sent"]);
});

test("a request that no target takes gets the error of the first one", async () => {
  const reply = await service.create({ model: "test/narrow", input: "Hi", top_p: 0.5, temperature: 0.5 });
  assertApiError(reply, {
    status: 400,
    code: "invalid_input",
    param: "top_p",
    message: /The model test\/narrow does not support top_p/,
  });
  const ran = await callsDuring(async () => {
    const tooLong = await create({ input: "x".repeat(600_000) });
    assertApiError(tooLong, {
      status: 400,
      code: "context_length_exceeded",
      message: /885 fit the context window of test\/targets/,
    });
  });
  assert.deepEqual(ran, [0, 0, 0]);
});

test("the rounds of a turn stay at the target that made its calls", async () => {
  const tools = [{ type: "function", name: "look_up" }];
  large.plays([[{ type: "state", state: { signature: "s" } }], ...calls({ callId: "a" })], calls({ callId: "b" }));
  const first = await create({ tools, input: "x".repeat(4000), temperature: 0.5 });
  const answer = (id: string, callId: string) =>
    create({
      previous_response_id: id,
      input: [{ type: "function_call_output", call_id: callId, output: "found" }],
      truncation: "auto",
    });
  const second = await answer(first.json.id, "a");
  const third = await answer(second.json.id, "b");
  assert.deepEqual([second.json["svc:target"], third.json["svc:target"]], ["large/m", "large/m"]);
  const states = large.calls.slice(-2).map(({ prompt }) => prompt.items.filter(({ type }) => type === "state").length);
  assert.deepEqual(states, [1, 1]);
});

test("with truncation auto a tool round stays too, and drops turns before the one that it continues", async () => {
  const tools = [{ type: "function", name: "look_up" }];
  const first = await create({ input: "x".repeat(3000) });
  small.plays(calls({ callId: "a" }));
  const asks = await create({ input: "y", tools, previous_response_id: first.json.id });
  const { json } = await create({
    previous_response_id: asks.json.id,
    input: [{ type: "function_call_output", call_id: "a", output: "z".repeat(1000) }],
    truncation: "auto",
  });
  assert.equal(json["svc:target"], "small/m");
  assert.deepEqual(
    json["svc:warnings"]?.map(({ code }: { code: string }) => code),
    ["truncated"],
  );
});

test("an item that cannot be read is not sent, and no dropped turn where a turn moves on", async () => {
  const first = await create({ input: "One." });
  const second = await create({ input: "Two.", previous_response_id: first.json.id });
  await runSql(
    service,
    "update items set body = '{' where opens_turn = 1 and position = 1 and thread_id = (select thread_id from responses where public_id = :id)",
    { id: first.json.id },
  );
  small.plays([fails("provider_unavailable", { certainlyNotRun: true })]);
  const { json } = await create({ input: "Three.", previous_response_id: second.json.id });
  assert.equal(json["svc:target"], "plain/m");
  assert.deepEqual(
    json["svc:warnings"]?.map(({ code }: { code: string }) => code),
    ["history_unreadable"],
  );
});
