// What operators see of targets: log of turns, metrics, traces, states. docs/fallbacks.md (What operators see)
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Check } from "typebox/value";
import { withTraces } from "../../../src/system/traces.ts";
import { fails, says } from "../../support/scripted-provider.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { ManagedService } from "../../manage/managed-service.ts";
import { replyShape } from "../../manage/reply-shape.ts";
import { valueOf } from "../metrics/exposition.ts";
import { type Sdk, startSdk } from "../traces/sdk.ts";

const providers = scriptedProviders("one", "two");
const { one, two } = providers.of;
const refused = fails("provider_unavailable", { certainlyNotRun: true });
const limited = fails("provider_rate_limited", { status: 429, requestId: "req_429", retryAfterSeconds: 30 });

let sdk: Sdk;
let managed: ManagedService;
before(async () => {
  sdk = startSdk();
  managed = await ManagedService.start({
    providers: providers.registry,
    models: [modelOfTargets([targetOf("one"), targetOf("two", { order: 2, upstreamModel: "n", target: "two/n" })])],
    wrapTelemetry: (telemetry) => withTraces(telemetry, (name) => `genai ${name}`),
  });
});
after(async () => {
  await managed.close();
  sdk.stop();
});

async function read(path: string, operation: Parameters<typeof replyShape>[0]) {
  const { status, json, text } = await managed.ask(managed.operator, "GET", path);
  assert.equal(status, 200, text);
  assert.equal(Check(replyShape(operation), json as unknown), true, text);
  return json;
}

test("the log, metrics, traces and the state of providers have each call of a target", async () => {
  one.plays([limited]);
  two.plays(says("ok"));
  const { service } = managed;
  const { json: response } = await service.create({ model: "test/targets", input: "Hi" });

  const path = `/organizations/${service.organizationId}/turns/${response.id}`;
  const turn = await read(path, "showTurn");
  assert.deepEqual([turn.attempts, turn.target, turn.failed_attempts], [2, "two/n", response["svc:attempts"]]);
  assert.equal(turn.target_started_ms, 0, "the clock stands still");

  const text = await service.metricsPage.render();
  const counted = (name: string, labels: Record<string, string>) => valueOf(text, name, labels);
  const model = "test/targets";
  assert.deepEqual(
    [
      counted("turngate_target_calls_total", { model, target: "one/m", code: "provider_rate_limited" }),
      counted("turngate_target_calls_total", { model, target: "two/n" }),
      counted("turngate_turns_total", { model, provider: "two", status: "completed" }),
      counted("turngate_target_resting", { target: "one/m" }),
      counted("turngate_target_resting", { target: "two/n" }),
    ],
    [1, 1, 1, 1, 0],
  );

  const span = await sdk.span("chat n");
  assert.deepEqual(
    ["gen_ai.provider.name", "gen_ai.request.model", "turngate.target"].map((name) => span.attributes[name]),
    ["genai two", "n", "two/n"],
  );
  assert.deepEqual(
    span.events.map(({ name, attributes }) => ({ name, attributes })),
    [
      {
        name: "turngate.target.failed",
        attributes: {
          "turngate.target": "one/m",
          "error.type": "provider_rate_limited",
          "http.response.status_code": 429,
        },
      },
    ],
  );

  const states = async () =>
    (await read("/providers", "listProviders")).data.map(
      (provider: { name: string; models: number; targets: object }) => {
        return [provider.name, provider.models, provider.targets];
      },
    );
  const awake = { state: "closed", rests_for_seconds: 0, failures: 0 };
  assert.deepEqual(await states(), [["one", 1, [{ target: "one/m", ...awake, rests_for_seconds: 30 }]]]);
  await service.clock.advance(30_000);
  for (let count = 0; count < 3; count++) {
    one.plays([refused]);
    await service.create({ model, input: "Hi" });
  }
  const open = { target: "one/m", state: "open", rests_for_seconds: 10, failures: 3 };
  assert.deepEqual(await states(), [["one", 1, [open]]]);
});

test("the list of models has the targets, with their order, weight and prices", async () => {
  const { data } = await read("/models", "listModels");
  assert.deepEqual(
    data[0].targets.map((target: Record<string, unknown>) => [target["target"], target["order"], target["weight"]]),
    [
      ["one/m", 1, 1],
      ["two/n", 2, 1],
    ],
  );
  assert.deepEqual(data[0].retry, ["connection", 429, 503, 529]);
});

test("a turn that is cancelled before the next target is asked ran at the one that was", async () => {
  const { service } = managed;
  await service.clock.advance(60_000);
  const retries = () => service.logged.filter(({ event }) => event === "provider.retry").length;
  const cancelAfter = async (count: number) => {
    const earlier = retries();
    const running = service.stream({ model: "test/targets", input: "Hi" });
    await until("the pause", () => retries() === earlier + count);
    const [run] = service.gateway.runs.all();
    const { json } = await service.request("POST", `/v1/responses/${run?.head.id}/cancel`);
    await running;
    return json;
  };
  const lasting = fails("provider_unavailable", { certainlyNotRun: true, isLasting: true });
  one.plays([lasting], [lasting]);
  two.plays([limited]);
  const asked = two.calls.length;
  await cancelAfter(2);
  // `two` rests by now.
  const { status, ...json } = await cancelAfter(1);
  assert.deepEqual([status, two.calls.length], ["cancelled", asked + 1]);
  assert.deepEqual([json["svc:target"], json["svc:attempts"]], ["one/m", undefined]);
});
