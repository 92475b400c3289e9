// Every simulated model through the client behaves as docs/simulated-models.md says.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import type { Response, ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { isHttpFailure } from "../../../src/contract/failures.ts";
import { SIMULATED_MODELS } from "../../../src/providers/simulated/models.ts";
import { UPSTREAM_ERROR_CODES } from "../../../src/providers/wire/error-codes.ts";
import { type SimulatedService, startSimulated } from "../simulated-service.ts";
import { bare, connect, type Gateway } from "./gateway.ts";

let started: SimulatedService;
let client: Gateway;
before(async () => {
  started = await startSimulated();
  client = connect(started.service);
});
after(() => started.close());

const INPUT = "Tell me something";
const TOOLS: OpenAI.Responses.FunctionTool[] = ["first", "second"].map((name) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: { n: { type: "integer", minimum: 3 } }, required: ["n"] },
  strict: null,
}));

type Body = Omit<ResponseCreateParamsNonStreaming, "stream">;

interface Scenario {
  /** Settings besides model and input. */
  readonly body?: Body;
  /** How both a create and a stream end. */
  check(response: Response, name: string): void;
}

const echoes = (response: Response) => {
  assert.equal(response.status, "completed");
  assert.equal(textOf(response), INPUT);
};

/** The model rejects these settings; its behaviour is tested with others. */
const refusesSettings = (...settings: Body[]): Scenario & { readonly rejected: Body[] } => ({
  check: echoes,
  rejected: settings,
});

const SCENARIOS: Readonly<Record<string, Scenario & { readonly rejected?: Body[] }>> = {
  echo: {
    body: { temperature: 0.5, top_p: 0.9, parallel_tool_calls: true, text: { verbosity: "low" } },
    check(response) {
      echoes(response);
      assert.deepEqual([response.temperature, response.top_p, response.text?.verbosity], [0.5, 0.9, "low"]);
    },
  },
  "group-a": refusesSettings({ temperature: 1 }, { top_p: 1 }, { text: { verbosity: "medium" } }),
  "group-b": refusesSettings({ parallel_tool_calls: true }, { text: { verbosity: "medium" } }),
  "group-c": refusesSettings({ temperature: 1 }, { top_p: 1 }),
  "small-window": { check: echoes, rejected: [{ input: "x".repeat(4001) }] },
  "large-output": {
    body: { input: "/stream 50 0 1000" },
    check: (response) => assert.equal(textOf(response).length, 50_000),
  },
  "no-forced-tools": refusesSettings(
    { tools: TOOLS, tool_choice: "required" },
    { tools: TOOLS, tool_choice: { type: "function", name: "first" } },
  ),
  thinks: {
    check(response) {
      assert.deepEqual(
        response.output.map(({ type }) => type),
        ["reasoning", "message"],
      );
      assert.ok((response.usage?.output_tokens_details.reasoning_tokens ?? 0) > 0);
    },
    rejected: [{ temperature: 1 }, { top_p: 1 }],
  },
  "calls-tools": {
    body: { tools: TOOLS },
    check(response) {
      assert.deepEqual(
        response.output.map((item) => (item.type === "function_call" ? [item.name, item.arguments] : item.type)),
        [
          ["first", '{"n":3}'],
          ["second", '{"n":3}'],
        ],
      );
    },
  },
  refuses: {
    check: (response) => assert.deepEqual(partsOf(response), [{ type: "refusal", refusal: "I can't help with that." }]),
  },
  "refuses-silently": {
    check: (response) => assert.deepEqual(partsOf(response), [{ type: "refusal", refusal: "" }]),
  },
  "refuses-late": {
    check: (response) =>
      assert.deepEqual(partsOf(response), [
        { type: "output_text", text: "I could begin to answer, but", annotations: [], logprobs: [] },
        { type: "refusal", refusal: "" },
      ]),
  },
  "stops-early": {
    check(response) {
      assert.equal(response.status, "incomplete");
      assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
      assert.equal(textOf(response), INPUT);
    },
  },
  "is-filtered": {
    check(response) {
      assert.equal(response.status, "incomplete");
      assert.deepEqual(response.incomplete_details, { reason: "content_filter" });
    },
  },
  caches: {
    body: { input: "x".repeat(200) },
    check({ usage }) {
      assert.deepEqual(usage?.input_tokens_details, { cached_tokens: 16, cache_write_tokens: 8 });
    },
  },
  streams: {
    check: (response) => assert.match(textOf(response), /^1 2 3 .* 199 200 $/),
  },
  slow: { check: echoes },
  ...Object.fromEntries(
    UPSTREAM_ERROR_CODES.flatMap((code): [string, Scenario][] => [
      [`fails-${code}`, { check: (response) => assertFailed(response, code, "") }],
      [`fails-late-${code}`, { check: (response) => assertFailed(response, code, "The answer begins here") }],
    ]),
  ),
};

/** Models whose create ends differently from their stream, or not at all. */
const APART: ReadonlySet<string> = new Set(["hangs", "fails-with-retry-after"]);

test("every simulated model has its scenario here", () => {
  const known = [...Object.keys(SCENARIOS), ...APART].map((name) => `simulated/${name}`);
  assert.deepEqual(SIMULATED_MODELS.map(({ id }) => id).toSorted(), known.toSorted());
});

describe("streamed", () => {
  for (const [name, { body, check }] of Object.entries(SCENARIOS)) {
    test(name, async () => {
      const stream = client.responses.stream({ model: `simulated/${name}`, input: INPUT, ...body });
      const final = (await stream.finalResponse()) as Response;
      check(final, name);
      assert.deepEqual(bare(await client.responses.retrieve(final.id)), bare(final));
    });
  }
});

describe("not streamed", () => {
  for (const [name, { body, check, rejected = [] }] of Object.entries(SCENARIOS)) {
    test(name, async () => {
      const model = `simulated/${name}`;
      const created = client.responses.create({ model, input: INPUT, ...body });
      const code = UPSTREAM_ERROR_CODES.find((failure) => name.endsWith(failure));
      if (code !== undefined && isHttpFailure(code)) await assert.rejects(created, { code });
      else check(await created, name);
      for (const settings of rejected) {
        await assert.rejects(client.responses.create({ model, input: INPUT, ...settings }), OpenAI.BadRequestError);
      }
    });
  }
});

test("calls-tools repeats the outputs of its tools", async () => {
  const first = await client.responses.create({ model: "simulated/calls-tools", input: INPUT, tools: TOOLS });
  const second = await client.responses.create({
    previous_response_id: first.id,
    input: first.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: `${item.name} done` }]
        : [],
    ),
  });
  assert.equal(second.output_text, "first returned: first done\nsecond returned: second done");
});

test("hangs until it is cancelled", async () => {
  const stream = client.responses.stream({ model: "simulated/hangs", input: INPUT });
  const id = await new Promise<string>((resolve) => {
    stream.on("response.in_progress", ({ response }) => resolve(response.id));
  });
  assert.equal((await client.responses.cancel(id)).status, "cancelled");
  assert.equal((await stream.finalResponse()).status, "cancelled");
});

test("fails-with-retry-after sends Retry-After", async () => {
  const rejected = client.responses.create({ model: "simulated/fails-with-retry-after", input: INPUT });
  await assert.rejects(rejected, (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError);
    assert.deepEqual([error.code, error.headers?.get("retry-after")], ["provider_rate_limited", "7"]);
    return true;
  });
});

test("the same input gives the same output", async () => {
  const body = { model: "simulated/thinks", input: "/say a b c\n/tool first" };
  const shape = ({ output, usage }: Response) =>
    JSON.stringify([output, usage]).replaceAll(/"(msg|fc|rs)_\w+"/g, '"id"');
  assert.equal(shape(await client.responses.create(body)), shape(await client.responses.create(body)));
});

function assertFailed(response: Response, code: string, text: string): void {
  assert.equal(response.status, "failed");
  assert.equal(response.error?.code, code);
  assert.equal(textOf(response), text);
}

function partsOf(response: Response): unknown[] {
  return response.output.flatMap((item) => (item.type === "message" ? (bare(item.content) as unknown[]) : []));
}

function textOf(response: Response): string {
  const parts = partsOf(response) as { type: string; text?: string }[];
  return parts.map(({ text }) => text ?? "").join("");
}
