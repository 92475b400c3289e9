// When a turn moves on to another target of its model, and when it does not. docs/wire.md (Targets)
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { Setting } from "../../../src/contract/settings.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { calls, fails, gate, says, type Script, USAGE } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

const providers = scriptedProviders("one", "two", "three");
const { one, two, three } = providers.of;
const third = { order: 3, contextWindow: 200_000 };

const SETTINGS = {
  providers: providers.registry,
  models: [
    modelOfTargets([targetOf("one"), targetOf("two", { order: 2 }), targetOf("three", third)]),
    modelOfTargets([targetOf("one"), targetOf("two", { order: 2 })], {
      id: "test/also",
      retry: ["connection", 500, 504],
    }),
    modelOfTargets([targetOf("one")], { id: "test/alone" }),
    modelOfTargets([targetOf("one"), targetOf("two", { ...third, settings: new Set<Setting>() })], {
      id: "test/narrow",
    }),
  ],
};

let service: TestService;
/** A new one for each test: no target rests. */
beforeEach(async () => {
  service = await TestService.start(SETTINGS);
  for (const provider of [one, two, three]) provider.forgets();
  before = asked();
});
afterEach(() => service.close());

const status = (code: number, more = {}) =>
  fails(code === 429 ? "provider_rate_limited" : code === 529 ? "provider_overloaded" : "provider_unavailable", {
    status: code,
    certainlyNotRun: code === 503,
    requestId: `req_${code}`,
    ...more,
  });
const refused = fails("provider_unavailable", { certainlyNotRun: true });
const lost = fails("provider_unavailable");

const create = (body: object = {}) => service.create({ model: "test/targets", input: "Hi", ...body });
const asked = () => [one, two, three].map((provider) => provider.calls.length);
let before = asked();
const askedSince = () => asked().map((count, at) => count - (before[at] ?? 0));
const targetsOf = (attempts: readonly { target: string }[] = []) => attempts.map(({ target }) => target);

test("a turn that was certainly not run moves on at once, and says what failed before", async () => {
  for (const failure of [refused, status(429), status(503), status(529)]) {
    before = asked();
    one.plays([failure]);
    two.plays(says("from two"));
    const { json } = await create();
    assert.deepEqual([json.status, json.output[0].content[0].text], ["completed", "from two"]);
    assert.deepEqual([json["svc:target"], askedSince()], ["two/m", [1, 1, 0]]);
    assert.deepEqual(json["svc:attempts"], [
      {
        target: "one/m",
        code: failure.code,
        provider_status: failure.status,
        provider_request_id: failure.requestId,
        started_ms: 0,
        duration_ms: 0,
      },
    ]);
    assert.deepEqual((await service.request("GET", `/v1/responses/${json.id}`)).json, json);
    one.plays(says("ok"));
    await create();
  }
});

test("a turn that may have run does not move on", async () => {
  for (const failure of [
    lost,
    status(500),
    status(502),
    status(504),
    status(408),
    status(503, { certainlyNotRun: false }),
  ]) {
    before = asked();
    one.plays([failure]);
    assert.equal((await create()).status, 502);
    assert.deepEqual(askedSince(), [1, 0, 0]);
    one.plays(says("ok"));
    await create();
  }
});

test("nor one whose request is at fault, or whose target is misconfigured", async () => {
  for (const failure of [fails("provider_client_error", { status: 400 }), status(401, { isLasting: true })]) {
    before = asked();
    one.plays([failure]);
    await create();
    assert.deepEqual(askedSince(), [1, 0, 0]);
    one.plays(says("ok"));
    await create();
  }
});

test("no target is asked again after output, whatever the failure says", async () => {
  for (const failure of [refused, status(503), status(429)]) {
    before = asked();
    one.plays([[{ type: "text", text: "Half" }], failure]);
    const { events } = await service.stream({ model: "test/targets", input: "Hi" });
    const last = events.at(-1)?.data;
    assert.deepEqual([last.type, last.response.output[0].content[0].text], ["response.failed", "Half"]);
    assert.deepEqual([last.response["svc:target"], last.response["svc:attempts"]], ["one/m", undefined]);
    assert.deepEqual(askedSince(), [1, 0, 0]);
    one.plays(says("ok"));
    await create();
  }
});

test("`also` says which failures a turn survives that may have run it, `on` which others", async () => {
  const ask = () => service.create({ model: "test/also", input: "Hi" });
  for (const [failure, moves] of [
    [status(500), true],
    [status(504), true],
    [status(502), false],
    [refused, true],
    [status(429), false],
    [status(503), false],
    // It says that a retry would fail again, or run the turn twice.
    [status(500, { isLasting: true }), false],
  ] as const) {
    before = asked();
    one.plays([failure]);
    await ask();
    assert.deepEqual(askedSince(), [1, moves ? 1 : 0, 0], `${failure.code} ${failure.status}`);
    one.plays(says("ok"));
    await ask();
  }
});

test("when all targets have failed, the first is asked again after a pause, twice; the last failure counts", async () => {
  for (const provider of [one, one, one, two, three]) provider.plays([refused]);
  const pending = create();
  await until("the first pause", () => asked()[2] === (before[2] ?? 0) + 1 && service.clock.pending > 0);
  await service.clock.advance(100);
  await until("the second pause", () => askedSince()[0] === 2);
  await service.clock.advance(400);
  assertApiError(await pending, { status: 502, code: "provider_unavailable" });
  assert.deepEqual(askedSince(), [3, 1, 1]);
});

test("a failed response names the target that was asked last, and those before it", async () => {
  for (const provider of [one, two]) provider.plays([status(503)]);
  three.plays([status(500)]);
  const { events } = await service.stream({ model: "test/targets", input: "Hi" });
  const response = events.at(-1)?.data.response;
  assert.deepEqual([response.status, response["svc:target"]], ["failed", "three/m"]);
  assert.deepEqual(targetsOf(response["svc:attempts"]), ["one/m", "two/m"]);
  assert.equal(response["svc:error"].provider_status, 500);
});

test("a target that asks for a wait is asked again after it, if that ends within the wait of the turn", async () => {
  const ask = () => service.create({ model: "test/alone", input: "Hi" });
  one.plays([status(429, { retryAfterSeconds: 20 })], says("later"));
  const pending = ask();
  await until("the pause", () => askedSince()[0] === 1 && service.clock.pending > 0);
  await service.clock.advance(19_999);
  assert.deepEqual(askedSince(), [1, 0, 0]);
  await service.clock.advance(1);
  const { json } = await pending;
  assert.deepEqual([json.output[0].content[0].text, targetsOf(json["svc:attempts"])], ["later", ["one/m"]]);
  one.plays([status(429, { retryAfterSeconds: 90 })]);
  const late = await ask();
  assertApiError(late, { status: 429, code: "provider_rate_limited" });
  assert.equal(late.headers["retry-after"], "90");
});

test("a target that asked for a wait is left alone until then, by other turns too", async () => {
  one.plays([status(429, { retryAfterSeconds: 30 })]);
  await create();
  before = asked();
  await create();
  await service.clock.advance(29_999);
  await create();
  assert.deepEqual(askedSince(), [0, 2, 0]);
  await service.clock.advance(1);
  await create();
  assert.deepEqual(askedSince(), [1, 2, 0]);
});

test("a target that keeps failing rests; then one turn tries it, while others stay away", async () => {
  for (let count = 0; count < 3; count++) {
    one.plays([refused]);
    await create();
  }
  before = asked();
  await create();
  assert.deepEqual(askedSince(), [0, 1, 0]);
  await service.clock.advance(10_000);
  const open = one.playsLater("tried");
  const trial = create();
  await until("the trial", () => askedSince()[0] === 1);
  assert.equal((await create()).json["svc:target"], "two/m");
  open();
  assert.equal((await trial).json["svc:target"], "one/m");
  assert.equal((await create()).json["svc:target"], "one/m");
});

test("a target that is overloaded within its stream rests too, and longer when the turn that tries it meets the same", async () => {
  const usage: ProviderPart = { type: "usage", usage: USAGE };
  // Its status is 200, and it has begun: that is no answer yet.
  const overloaded: Script = (call) => {
    call.onResponse?.({ status: 200, requestId: null });
    return [[usage], fails("provider_overloaded", { status: 200 })];
  };
  const { circuits } = service.gateway;
  for (let failures = 0; failures < 3; failures++) {
    one.plays(overloaded);
    assert.equal((await create()).json["svc:target"], "two/m");
  }
  assert.equal(circuits.stateOf("one/m").restsForMs, 10_000);
  await service.clock.advance(10_000);
  one.plays(overloaded);
  assert.equal((await create()).json["svc:target"], "two/m");
  assert.deepEqual([circuits.stateOf("one/m").state, circuits.stateOf("one/m").restsForMs], ["open", 20_000]);
});

test("a turn that would fail otherwise tries a target that rests", async () => {
  for (let count = 0; count < 3; count++) {
    one.plays([lost]);
    await create();
  }
  two.plays([refused], [refused], [refused]);
  three.plays([refused]);
  before = asked();
  const pending = create();
  await until("the first pause", () => askedSince()[2] === 1 && service.clock.pending > 0);
  await service.clock.advance(100);
  await until("the second pause", () => askedSince()[1] === 2);
  await service.clock.advance(400);
  assert.equal((await pending).json["svc:target"], "one/m");
  assert.deepEqual(askedSince(), [1, 3, 1]);
});

test("a target that finds the prompt too long gives way to one with a larger window", async () => {
  const tooLong = fails("provider_client_error", { status: 400, isPromptTooLong: true });
  one.plays([tooLong]);
  const { json } = await create();
  assert.deepEqual([json["svc:target"], targetsOf(json["svc:attempts"])], ["three/m", ["one/m"]]);
  assert.deepEqual(askedSince(), [1, 0, 1]);
  one.plays([tooLong]);
  three.plays([tooLong]);
  assertApiError(await create(), { status: 400, code: "context_length_exceeded" });
});

test("nor to one with a larger window that does not take the settings", async () => {
  one.plays([fails("provider_client_error", { status: 400, isPromptTooLong: true })]);
  const reply = await create({ model: "test/narrow", temperature: 0.5 });
  assertApiError(reply, { status: 400, code: "context_length_exceeded", message: /: send less\./ });
  assert.deepEqual(askedSince(), [1, 0, 0]);
});

test("a tool round whose target fails goes on at the next one, without its state", async () => {
  const tools = [{ type: "function", name: "look_up" }];
  one.plays([[{ type: "state", state: { signature: "s" } }], ...calls({ callId: "a" })]);
  const first = await create({ tools });
  one.plays([refused]);
  const input = [{ type: "function_call_output", call_id: "a", output: "found" }];
  const { json } = await create({ previous_response_id: first.json.id, input });
  assert.equal(json["svc:target"], "two/m");
  const typesOf = (provider: typeof one) => provider.calls.at(-1)?.prompt.items.map(({ type }) => type);
  assert.deepEqual(typesOf(one), ["message", "state", "call", "result"]);
  assert.deepEqual(typesOf(two), ["message", "call", "result"]);
});

test("the wait is kept: a turn does not move on after it", async () => {
  const { opened, open } = gate();
  one.plays([opened, refused]);
  const pending = service.stream({ model: "test/targets", input: "Hi" });
  await until("the call", () => askedSince()[0] === 1);
  await service.clock.advance(90_000);
  open();
  const { events } = await pending;
  assert.equal(events.at(-1)?.event, "response.failed");
  assert.deepEqual(askedSince(), [1, 0, 0]);
});

test("a turn that is cancelled while it waits for a target asks none", async () => {
  one.plays([status(503, { retryAfterSeconds: 20 })]);
  const pending = service.stream({ model: "test/alone", input: "Hi" });
  await until("the pause", () => askedSince()[0] === 1 && service.clock.pending > 0);
  const [running] = service.gateway.runs.all();
  const { json } = await service.request("POST", `/v1/responses/${running?.head.id}/cancel`);
  assert.equal(json.status, "cancelled");
  await pending;
  assert.deepEqual(askedSince(), [1, 0, 0]);
});
