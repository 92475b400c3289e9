// The lists of models of the families' servers, and what a server cannot do with a list.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { createSystemClock } from "../system/clock.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { NO_PROXIES } from "./wire/proxies.ts";
import { listServerModels } from "./list-models.ts";

let reply: RequestListener = () => {};
const server = createServer((request, response) => reply(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const { port } = server.address() as AddressInfo;

function list(type: string, timeoutMs = 2000) {
  const entry = { name: "p", family: familyOf(type), apiKey: "k", baseUrl: `http://127.0.0.1:${port}/v1` };
  const noHost = () => Promise.reject(new Error("no host"));
  return listServerModels(entry, {
    clock: createSystemClock(),
    proxies: NO_PROXIES,
    loadLibrary: noHost,
    fetch: noHost,
    timeoutMs,
  });
}

const sends =
  (value: unknown): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify(value));

test("each family's list is read, with the sizes that it has, and only models for text", async () => {
  const seen: string[] = [];
  const plain = (name: string) => ({ name, contextWindow: null, maxOutputTokens: null });
  const rows: readonly (readonly [string, string, unknown, unknown])[] = [
    [
      "openai-compatible",
      "/v1/models",
      { data: [{ id: "llama", max_model_len: 8192 }, { id: "meta/x", context_length: 9000 }, { id: 7 }, "y"] },
      [
        { name: "llama", contextWindow: 8192, maxOutputTokens: null },
        { name: "meta/x", contextWindow: 9000, maxOutputTokens: null },
      ],
    ],
    [
      "openai",
      "/v1/models",
      { data: ["gpt-5.4", "text-embedding-3-small", "gpt-4o-audio-preview", "o3", "sora-2"].map((id) => ({ id })) },
      [plain("gpt-5.4"), plain("o3")],
    ],
    [
      "anthropic",
      "/v1/models?limit=1000",
      { data: [{ id: "claude-opus-5-5", max_input_tokens: 1_000_000, max_tokens: 128_000 }] },
      [{ name: "claude-opus-5-5", contextWindow: 1_000_000, maxOutputTokens: 128_000 }],
    ],
    [
      "gemini",
      "/v1/models?pageSize=1000",
      {
        models: [
          {
            name: "models/g",
            inputTokenLimit: 10_000,
            outputTokenLimit: 500,
            supportedGenerationMethods: ["generateContent"],
          },
          { name: "models/e", supportedGenerationMethods: ["embedContent"] },
        ],
      },
      [{ name: "g", contextWindow: 10_000, maxOutputTokens: 500 }],
    ],
  ];
  for (const [type, path, value, expected] of rows) {
    reply = (request, response) => {
      seen.push(request.url ?? "");
      sends(value)(request, response);
    };
    // oxlint-disable-next-line no-await-in-loop -- one server
    assert.deepEqual(await list(type), expected, type);
    assert.equal(seen.at(-1), path);
  }
});

test("a list is cut after a thousand models", async () => {
  reply = sends({ data: Array.from({ length: 3000 }, (_, at) => ({ id: `m${at}` })) });
  assert.equal((await list("openai-compatible")).length, 1000);
});

test("an endless, slow, refused or unreadable list is an error in time", async () => {
  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (response.write(" ".repeat(64 * 1024)));
      response.once("drain", more);
    };
    more();
  };
  for (const [listener, expected] of [
    [endless, /something else than a list of models, or a longer one/],
    [() => {}, /can't be reached \(no reply within 0\.5 seconds\)/],
    [
      (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(404).end(),
      /\(404\)/,
    ],
    [sends("hello"), /something else than a list/],
    [sends({ data: 5 }), /something else than a list/],
  ] as const) {
    reply = listener;
    // oxlint-disable-next-line no-await-in-loop -- one server
    await assert.rejects(list("openai-compatible", 500), expected);
  }
});
