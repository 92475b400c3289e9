// An error of overload within a response of status 200, before any output: the turn moves on as after 429, 503 and 529, on
// every wire. After a part of an answer, and after other errors, it does not. docs/fallbacks.md
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { chunkFrame, exceptionFrame } from "../support/event-stream-frames.ts";
import { familyOf } from "../support/family-of.ts";
import { openProviders } from "../support/provider-registry.ts";
import { TestService } from "../support/service.ts";
import { modelOfTargets, targetOf } from "../support/targets.ts";
import { startWireServer } from "./wire-server.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const stream = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const anthropicError = (type: string) => data({ type: "error", error: { type, message: "m" } });
const started = data({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 9, output_tokens: 1 },
  },
});
const text =
  data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
  data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } });
/** Events in frames of Bedrock's. */
const frame = (events: string) =>
  Buffer.concat(Array.from(events.matchAll(/^data: (.+)$/gm), ([, json = ""]) => chunkFrame(json)));
const created = data({ type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } });
const responseFailed = (code: string) =>
  data({
    type: "response.failed",
    response: { id: "resp_1", status: "failed", error: { code, message: "m" }, output: [] },
  });
const role = data({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] });
const googleError = (code: number, status: string) => ({ error: { code, status, message: "m" } });

interface Streams {
  readonly movesOn: readonly (readonly [body: string | Buffer, code: string])[];
  readonly stays: readonly (string | Buffer)[];
}

const STREAMS: Readonly<Record<string, Streams>> = {
  anthropic: {
    movesOn: [
      [anthropicError("overloaded_error"), "provider_overloaded"],
      [started + anthropicError("overloaded_error"), "provider_overloaded"],
      [stream("anthropic/fixtures/error-at-once.sse"), "provider_rate_limited"],
    ],
    stays: [stream("anthropic/fixtures/error-overloaded.sse"), started + anthropicError("api_error")],
  },
  openai: {
    movesOn: [
      [stream("openai/fixtures/error-first.sse"), "provider_rate_limited"],
      [stream("openai/fixtures/failed-rate-limit.sse"), "provider_rate_limited"],
      [created + responseFailed("server_is_overloaded"), "provider_overloaded"],
    ],
    stays: [
      stream("openai/fixtures/error-overloaded.sse"),
      stream("openai/fixtures/error-flat.sse"),
      created + responseFailed("server_error"),
    ],
  },
  gemini: {
    movesOn: [
      [data(googleError(503, "UNAVAILABLE")), "provider_overloaded"],
      [data(googleError(429, "RESOURCE_EXHAUSTED")), "provider_rate_limited"],
      [JSON.stringify([googleError(503, "UNAVAILABLE")]), "provider_overloaded"],
    ],
    stays: [stream("gemini/fixtures/broken-overloaded-bare.sse"), data(googleError(500, "INTERNAL"))],
  },
  "openai-compatible": {
    movesOn: [
      [data({ error: { code: 429, message: "m" } }), "provider_rate_limited"],
      [role + data({ error: { type: "overloaded_error", message: "m" } }), "provider_overloaded"],
    ],
    stays: [stream("fixtures/vllm-error-midstream.sse"), data({ error: { type: "server_error", message: "m" } })],
  },
  bedrock: {
    movesOn: [
      [exceptionFrame("serviceUnavailableException", { message: "m" }), "provider_overloaded"],
      [Buffer.concat([frame(started), exceptionFrame("throttlingException", {})]), "provider_rate_limited"],
    ],
    stays: [
      exceptionFrame("internalServerException", {}),
      Buffer.concat([frame(started), frame(text), exceptionFrame("serviceUnavailableException", {})]),
    ],
  },
  vertex: {
    movesOn: [
      [data(googleError(429, "RESOURCE_EXHAUSTED")), "provider_rate_limited"],
      [started + data(googleError(503, "UNAVAILABLE")), "provider_overloaded"],
      [JSON.stringify([googleError(429, "RESOURCE_EXHAUSTED")]), "provider_rate_limited"],
      [started + anthropicError("overloaded_error"), "provider_overloaded"],
    ],
    stays: [data(googleError(500, "INTERNAL")), started + text + data(googleError(503, "UNAVAILABLE"))],
  },
};

/** Claude at its hosts. */
const HOSTS = {
  bedrock: { apiKey: "key", hostSettings: { type: "bedrock", region: "eu-central-1" } },
  vertex: {
    apiKey: null,
    headers: { authorization: "Bearer t" },
    hostSettings: { type: "vertex", project: "my-project", region: "eu" },
  },
};

let body: string | Buffer = "";
const first = await startWireServer(({ socket }) => {
  socket.write(HEAD);
  socket.end(body);
});
const second = await startWireServer(({ socket }) =>
  socket.end(
    `${HEAD}${data({ choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] })}data: [DONE]\n\n`,
  ),
);
const registry = await openProviders([
  ...Object.keys(STREAMS)
    .filter((type) => !Object.hasOwn(HOSTS, type))
    .map((type) => ({ name: type, family: familyOf(type), baseUrl: first.url, apiKey: "key" })),
  ...Object.entries(HOSTS).map(([name, host]) => ({
    name,
    family: familyOf("anthropic"),
    baseUrl: first.url,
    ...host,
  })),
  { name: "next", family: familyOf("openai-compatible"), baseUrl: second.url, apiKey: null },
]);
after(async () => {
  await registry.close();
  await Promise.all([first.close(), second.close()]);
});

for (const [type, { movesOn, stays }] of Object.entries(STREAMS)) {
  const model = modelOfTargets([targetOf(type), targetOf("next", { order: 2 })]);
  const play = async (bytes: string | Buffer) => {
    body = bytes;
    // A new one each time: no target rests.
    const service = await TestService.start({ providers: registry, models: [model] });
    const before = second.requests.length;
    try {
      const { events } = await service.stream({ model: model.id, input: "Hi" });
      return { response: events.at(-1)?.data.response, asked: second.requests.length - before };
    } finally {
      await service.close();
    }
  };

  test(`${type}: a turn whose stream begins with an overload moves on`, async () => {
    for (const [bytes, code] of movesOn) {
      const { response, asked } = await play(bytes);
      assert.deepEqual([response.status, response["svc:target"], asked], ["completed", "next/m", 1], String(bytes));
      const [attempt] = response["svc:attempts"];
      assert.deepEqual([attempt.target, attempt.code, attempt.provider_status], [`${type}/m`, code, 200]);
    }
  });

  test(`${type}: after a part of an answer or another error it does not`, async () => {
    for (const bytes of stays) {
      const { response, asked } = await play(bytes);
      assert.deepEqual([response.status, response["svc:target"], asked], ["failed", `${type}/m`, 0], String(bytes));
    }
  });
}
