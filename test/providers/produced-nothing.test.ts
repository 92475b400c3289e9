// What a turn costs that ends before its model does, on the wire of each family: nothing as long as the model has
// produced nothing, though the provider has counted the input; its input and output as soon as reasoning has come.
// docs/money.md (What is charged)
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { familyOf } from "../support/family-of.ts";
import { LiveStream } from "../support/live-stream.ts";
import { credits, PRICES, Purse } from "../support/money.ts";
import { openProviders } from "../support/provider-registry.ts";
import { testModel } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { httpChunk, LAST_CHUNK, startWireServer, writeHead } from "./wire-server.ts";

const INPUT_TOKENS = 100;

/**
 * A provider that begins a response and counts its input, the first output of its model, reasoning of 40 characters that
 * has not ended, such that cannot be read (null: never before its end), and an error within it.
 */
interface Wire {
  readonly family: string;
  readonly begins: readonly object[];
  readonly outputs: readonly object[];
  readonly reasoning: readonly object[];
  readonly unreadable: readonly object[] | null;
  readonly error: object;
}

const REASONING_TOKENS = 10;

const twice = (make: (text: string) => object) => [make("Is this a question? "), make("Surely it is a test.")];
const geminiPart = (part: object) => ({ candidates: [{ index: 0, content: { role: "model", parts: [part] } }] });
const chatDelta = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });

const WIRES: readonly Wire[] = [
  {
    family: "anthropic",
    begins: [
      {
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: INPUT_TOKENS, output_tokens: 8 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    outputs: [{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "four" } }],
    reasoning: [
      { type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "" } },
      ...twice((thinking) => ({ type: "content_block_delta", index: 1, delta: { type: "thinking_delta", thinking } })),
    ],
    unreadable: [
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "c2VjcmV0" } },
    ],
    error: { type: "error", error: { type: "unheard_of", message: "broken" } },
  },
  {
    family: "gemini",
    begins: [{ candidates: [], usageMetadata: { promptTokenCount: INPUT_TOKENS, totalTokenCount: INPUT_TOKENS } }],
    outputs: [geminiPart({ text: "four" })],
    reasoning: twice((text) => geminiPart({ text, thought: true })),
    unreadable: [geminiPart({ text: "", thoughtSignature: "c2VjcmV0" })],
    error: { error: { code: 418, message: "broken", status: "UNHEARD_OF" } },
  },
  {
    family: "openai",
    begins: [{ type: "response.created", response: { id: "resp_1", status: "in_progress" } }],
    outputs: [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "message", id: "msg_1", role: "assistant", content: [] },
      },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "four" },
    ],
    reasoning: [
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
      ...twice((delta) => ({
        type: "response.reasoning_summary_text.delta",
        item_id: "rs_1",
        output_index: 0,
        summary_index: 0,
        delta,
      })),
    ],
    // It comes with the end of its item.
    unreadable: null,
    error: {
      type: "response.failed",
      response: {
        id: "resp_1",
        status: "failed",
        error: { code: "unheard_of", message: "broken" },
        usage: { input_tokens: INPUT_TOKENS, output_tokens: 0, total_tokens: INPUT_TOKENS },
      },
    },
  },
  {
    family: "openai-compatible",
    begins: [
      {
        choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
        usage: { prompt_tokens: INPUT_TOKENS, completion_tokens: 0, total_tokens: INPUT_TOKENS },
      },
    ],
    outputs: [chatDelta({ content: "four" })],
    reasoning: twice((text) => chatDelta({ reasoning_content: text })),
    unreadable: [chatDelta({ reasoning_details: [{ type: "reasoning.encrypted", index: 0, data: "c2VjcmV0" }] })],
    error: { error: { message: "broken", type: "unheard_of", code: "unheard_of" } },
  },
];

/** How a response goes on after its beginning: frames, then an end. */
let frames: readonly object[] = [];
let ending: "hang" | "reset" | "end" = "hang";

const server = await startWireServer(({ socket }) => {
  writeHead(socket);
  for (const frame of frames) socket.write(httpChunk(`data: ${JSON.stringify(frame)}\n\n`));
  if (ending === "end") socket.write(LAST_CHUNK);
  // After the frames have arrived.
  if (ending === "reset") setTimeout(() => socket.destroy(), 20);
});
const providers = await openProviders(
  WIRES.map(({ family }) => ({ name: family, family: familyOf(family), baseUrl: server.url, apiKey: "key-of-tests" })),
);
const service = await TestService.start({
  providers,
  models: WIRES.map(({ family }) =>
    testModel(`${family}/m`, { provider: family, upstreamModel: "m", defaultOutputTokens: 1000, prices: PRICES }),
  ),
});
after(async () => {
  await service.close();
  await providers.close();
  await server.close();
});

for (const { family, begins, outputs, reasoning, unreadable, error } of WIRES) {
  describe(family, () => {
    const model = `${family}/m`;
    const plays = (played: readonly object[], end: typeof ending) => {
      frames = played;
      ending = end;
    };

    /** Cancels a stream once its provider's connection has brought everything. */
    async function cancelled(played: readonly object[], seen: string) {
      const purse = await Purse.open(service, 1000);
      plays(played, "hang");
      const received = server.requests.length;
      const stream = await LiveStream.open({ baseUrl: service.baseUrl, key: purse.key }, { model });
      await stream.sees(seen);
      await until("the request of the provider", () => server.requests.length > received);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const { json } = await purse.cancel(stream.id);
      await stream.closed;
      assert.equal(json.status, "cancelled");
      return { purse, usage: json.usage };
    }

    test("cancelled before any output: nothing", async () => {
      const { purse, usage } = await cancelled(begins, "response.in_progress");
      assert.equal(usage.total_tokens, 0);
      await purse.agrees(0n);
    });

    test("cancelled in the middle of reasoning: the reasoning, and the input", async () => {
      const { purse, usage } = await cancelled([...begins, ...reasoning], "response.in_progress");
      assert.equal(usage.output_tokens, REASONING_TOKENS);
      assert.ok(usage.input_tokens > 0);
      await purse.agrees(credits(usage.total_tokens / 10));
    });

    if (unreadable !== null) {
      test("cancelled in the middle of reasoning that cannot be read: the input", async () => {
        const { purse, usage } = await cancelled([...begins, ...unreadable], "response.in_progress");
        assert.ok(usage.input_tokens > 0);
        await purse.agrees(credits(usage.total_tokens / 10));
      });
    }

    test("reasoning that has not ended and that nothing pays for ends the turn", async () => {
      const purse = await Purse.open(service, 150);
      plays([...begins, ...Array.from({ length: 300 }, () => reasoning).flat()], "hang");
      const { events } = await purse.stream({ model, input: "Hi", max_output_tokens: 4000 });
      const response = events.at(-1)?.data.response;
      assert.deepEqual([response.status, response.error.code], ["failed", "insufficient_credits"]);
      const { usage } = response;
      assert.ok(usage.total_tokens <= 1500, `${usage.total_tokens} tokens`);
      await purse.agrees(credits(usage.total_tokens / 10));
    });

    test("cancelled after a first word: its output, and its input", async () => {
      const { purse, usage } = await cancelled([...begins, ...outputs], "response.output_text.delta");
      assert.equal(usage.output_tokens, 1);
      await purse.agrees(credits(usage.total_tokens / 10));
    });

    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "awaited";

      test(`${how}, failed before any output: nothing`, async () => {
        const purse = await Purse.open(service, 1000);
        plays([...begins, error], "end");
        const { id } = await createAs(purse, stream, 200);
        const { json } = await purse.retrieve(id);
        assert.deepEqual([json.status, json.usage.total_tokens], ["failed", 0]);
        await purse.agrees(0n);
      });

      test(`${how}, failed in the middle of reasoning: the reasoning, and the input`, async () => {
        const purse = await Purse.open(service, 1000);
        plays([...begins, ...reasoning, error], "end");
        const { id } = await createAs(purse, stream, 200);
        const { usage, status } = (await purse.retrieve(id)).json;
        assert.deepEqual([status, usage.output_tokens], ["failed", REASONING_TOKENS]);
        assert.ok(usage.input_tokens > 0);
        await purse.agrees(credits(usage.total_tokens / 10));
      });

      test(`${how}, cut off before any output: nothing`, async () => {
        const purse = await Purse.open(service, 1000);
        plays(begins, "reset");
        const { usage } = await createAs(purse, stream, stream ? 200 : 502);
        assert.equal(usage?.total_tokens, stream ? 0 : undefined);
        await purse.agrees(0n);
      });
    }

    /** The response of a create; empty for an HTTP error. */
    async function createAs(purse: Purse, stream: boolean, status: number) {
      if (stream) return (await purse.stream({ model, input: "Hi" })).events.at(-1)?.data.response;
      const reply = await purse.create({ model, input: "Hi" });
      assert.equal(reply.status, status, reply.text);
      return reply.json;
    }
  });
}
