// POST /v1/responses, not streaming: the 90 seconds, the queue, and responses that outlast the wait.
// @spec states-and-transitions
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Reply } from "../../support/http-client.ts";
import { FINISHED, fails, gate, type Script, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

/** Begins a create whose provider plays the script; resolves once the provider has been called. */
async function begin(script: Script, body: object = {}): Promise<{ readonly answer: Promise<Reply> }> {
  const { calls } = service.provider;
  const asked = calls.length;
  service.provider.plays(script);
  const answer = service.create({ input: "Hi", ...body });
  await until("the provider's call", () => calls.length > asked);
  return { answer };
}

test("after 90 seconds the reply is 200 with the running response; the response goes on and completes", async () => {
  const { opened, open } = gate();
  const late = [opened, [{ type: "text", text: "late" }], FINISHED] as const;
  const { answer } = await begin(late, { metadata: { a: "1" } });
  let isAnswered = false;
  void answer.finally(() => {
    isAnswered = true;
  });
  await service.clock.advance(89_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isAnswered, false);
  await service.clock.advance(1);
  const { status, json } = await answer;
  assert.equal(status, 200);
  assert.deepEqual(
    [json.status, json.output, json.completed_at, json.error, "usage" in json, json.metadata],
    ["in_progress", [], null, null, false, { a: "1" }],
  );

  const path = `/v1/responses/${json.id}`;
  const running = await service.request("GET", path);
  assert.deepEqual(running.json, json);
  open();
  await until("the end", async () => (await service.request("GET", path)).json.status === "completed");
  const settled = await service.request("GET", path);
  assert.equal(settled.json.output[0].content[0].text, "late");
  assert.deepEqual(settled.json.usage, USAGE);
  assert.equal(settled.json.completed_at, json.created_at + 90);
});

describe("a failure after the 90 seconds is a failed response, never an HTTP error", () => {
  for (const code of [
    "provider_rate_limited",
    "provider_overloaded",
    "provider_unavailable",
    "provider_error",
  ] as const) {
    test(code, async () => {
      const { opened, open } = gate();
      const { answer } = await begin([opened, fails(code)]);
      await service.clock.advance(90_000);
      const { json } = await answer;
      assert.equal(json.status, "in_progress");
      open();
      const path = `/v1/responses/${json.id}`;
      await until("the end", async () => (await service.request("GET", path)).json.status !== "in_progress");
      const settled = await service.request("GET", path);
      assert.equal(settled.status, 200);
      assert.deepEqual([settled.json.status, settled.json.error.code], ["failed", code]);
    });
  }
});

test("a running response cannot be continued yet, and the error says so", async () => {
  const { opened, open } = gate();
  const { answer: pending } = await begin([opened, ...says("late")]);
  await service.clock.advance(90_000);
  const { json } = await pending;
  const answer = await service.create({ input: "More", previous_response_id: json.id });
  assertApiError(answer, {
    status: 400,
    code: "invalid_input",
    param: "previous_response_id",
    message: /in_progress/,
  });
  open();
  await until("the end", async () => {
    return (await service.request("GET", `/v1/responses/${json.id}`)).json.status === "completed";
  });
  assert.equal((await service.create({ input: "More", previous_response_id: json.id })).status, 200);
});

test("a response that hangs longer than turn_seconds fails as run_failed, and its provider call is closed", async () => {
  const { answer: pending } = await begin([new Promise(() => {})]);
  await service.clock.advance(90_000);
  const { json } = await pending;
  const aborted = service.provider.aborted;
  await service.clock.advance(3_510_000);
  const path = `/v1/responses/${json.id}`;
  await until("the end", async () => (await service.request("GET", path)).json.status === "failed");
  const { error, usage } = (await service.request("GET", path)).json;
  assert.equal(error.code, "run_failed");
  assert.equal(usage.total_tokens, 0);
  assert.equal(service.provider.aborted, aborted + 1);
});

describe("a response over the node's limit waits as queued", () => {
  test("first come, first served; a queued response gets its reply after 90 seconds, and runs later", () =>
    withService({ limits: { concurrent_turns: 1, queued_turns: 2 } }, async (busy) => {
      const gates = [gate(), gate(), gate()];
      busy.provider.plays(
        ...gates.map(({ opened }, index) => [opened, [{ type: "text" as const, text: `${index}` }], FINISHED] as const),
      );
      const running = busy.create({ input: "a" });
      await until("the first", () => busy.provider.calls.length === 1);
      const second = busy.create({ input: "b" });
      await until("the second to wait", () => busy.clock.dueIn(90_000) === 2);
      const third = busy.create({ input: "c" });
      await until("the third to wait", () => busy.clock.dueIn(90_000) === 3);

      const full = await busy.create({ input: "d" });
      assertApiError(full, { status: 503, code: "gateway_overloaded" });
      assert.equal(full.headers["retry-after"], "1");
      assert.equal(full.headers["x-should-retry"], "true");
      const streamed = await busy.stream({ input: "d" });
      assertApiError(streamed, { status: 503, code: "gateway_overloaded" });

      await busy.clock.advance(90_000);
      const [a, b, c] = await Promise.all([running, second, third]);
      assert.deepEqual(
        [a, b, c].map(({ json }) => [json.status, json.output, "usage" in json]),
        [
          ["in_progress", [], false],
          ["queued", [], false],
          ["queued", [], false],
        ],
      );
      assert.equal(busy.provider.calls.length, 1);
      const statusOf = async (id: string) => (await busy.request("GET", `/v1/responses/${id}`)).json.status;
      gates[0]?.open();
      await until("b to run", async () => (await statusOf(b.json.id)) === "in_progress");
      assert.deepEqual([await statusOf(a.json.id), await statusOf(c.json.id)], ["completed", "queued"]);
      gates[1]?.open();
      gates[2]?.open();
      await until("c to end", async () => (await statusOf(c.json.id)) === "completed");
      assert.deepEqual(
        busy.provider.calls.map(({ prompt }) => prompt.items.map((item) => "text" in item && item.text)),
        [["a"], ["b"], ["c"]],
      );
    }));

  test("a full queue does not consume the Idempotency-Key", () =>
    withService({ limits: { concurrent_turns: 1, queued_turns: 0 } }, async (busy) => {
      const open = busy.provider.playsLater("a");
      const running = busy.create({ input: "a" });
      await until("the first", () => busy.provider.calls.length === 1);
      const headers = { "idempotency-key": "k" };
      assertApiError(await busy.create({ input: "b" }, { headers }), { status: 503, code: "gateway_overloaded" });
      open();
      await running;
      const other = await busy.create({ input: "another body" }, { headers });
      assert.equal(other.status, 200, other.text);
    }));
});

test("an overloaded service rejects new responses before anything else, and nothing but new responses", async () => {
  let overloaded = true;
  await withService({ isOverloaded: () => overloaded }, async (busy) => {
    assertApiError(await busy.create({ input: "a" }), { status: 503, code: "gateway_overloaded" });
    assertApiError(await busy.stream({ input: "a" }), { status: 503, code: "gateway_overloaded" });
    assert.equal((await busy.request("GET", "/v1/models")).status, 200);
    assert.equal((await busy.request("POST", "/v1/conversations")).status, 200);
    overloaded = false;
    assert.equal((await busy.create({ input: "a" })).status, 200);
  });
});
