// A server that quotes what was sent to it: no client reads a credential, on any wire and whatever carries it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HostSettings } from "../../src/providers/host.ts";
import type { ProviderEntry } from "../../src/providers/registry.ts";
import { familyOf } from "../support/family-of.ts";
import { VERTEX_PLACE } from "../support/fake-vertex.ts";
import { openProviders } from "../support/provider-registry.ts";
import { assertFailure, run } from "./transport-bench.ts";
import { httpChunk, LAST_CHUNK, startWireServer, writeHead } from "./wire-server.ts";

const SECRETS = [
  "sk-the-api-key-0001",
  "token-in-a-header-0002",
  "query/key-0003",
  "cookie-0004",
  "0005-token-in-the-path",
];
const [apiKey, token, queryKey, cookie, pathToken] = SECRETS as [string, string, string, string, string];

let isStreamed = false;
const server = await startWireServer(({ head, socket }) => {
  const [line = "", ...headers] = head.split("\r\n");
  const quoted = headers.filter((header) => /^(?:authorization|api-key|x-api-key|x-goog-api-key|cookie)/i.test(header));
  const [first = ""] = quoted;
  const decoded = new URL(line.split(" ")[1] ?? "", "http://h").searchParams.get("key");
  const message = `bad ${line}: ${quoted.join(", ")}, decoded ${decoded}, cut ${first.slice(0, -4)}…, bare ${first.split(" ").at(-1)}`;
  const error = { type: "invalid_request_error", status: "INVALID_ARGUMENT", message };
  const secret = first.split(/[ =]/).at(-1);
  if (!isStreamed) {
    socket.write(`HTTP/1.1 400 X\r\nconnection: close\r\nx-request-id: ${secret}\r\n\r\n`);
    socket.end(JSON.stringify({ error, request_id: secret }));
    return;
  }
  writeHead(socket);
  socket.write(httpChunk(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`));
  socket.write(LAST_CHUNK);
});
const baseUrl = `${server.url}/${pathToken}?key=${encodeURIComponent(queryKey)}`;
const extra = { Authorization: `Bearer ${token}`, Cookie: `session=${cookie}` };
const entries: ProviderEntry[] = ["openai-compatible", "openai", "anthropic", "gemini"].flatMap((type) => [
  { name: `${type} with a key`, family: familyOf(type), baseUrl, apiKey },
  { name: `${type} with headers`, family: familyOf(type), baseUrl, apiKey: null, headers: extra },
]);
const hosted: readonly (readonly [string, HostSettings])[] = [
  ["openai", { type: "azure" }],
  ["anthropic", { type: "vertex", ...VERTEX_PLACE }],
  ["gemini", { type: "vertex", ...VERTEX_PLACE }],
  ["anthropic", { type: "bedrock", region: "eu-central-1" }],
];
for (const [type, hostSettings] of hosted) {
  const name = `${type} at ${hostSettings.type}`;
  entries.push({ name, family: familyOf(type), baseUrl, apiKey: null, headers: extra, hostSettings });
}
const providers = await openProviders(entries);
after(async () => {
  await providers.close();
  await server.close();
});

for (const { name } of entries) {
  test(`${name}: an error that quotes the request is shown without its credentials`, async () => {
    for (isStreamed of [false, true]) {
      const { message, requestId } = assertFailure(await run(providers.get(name)), "provider_client_error", false);
      assert.equal(requestId, isStreamed ? "req_wire" : null);
      assert.match(message, /bad POST \S*\[redacted\].*cut .*\[redacted\].*bare \[redacted\]/);
      for (const secret of SECRETS) assert.ok(!message.includes(secret.slice(0, 12)), message);
    }
  });
}
