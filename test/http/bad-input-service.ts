// Any input: never a 5xx, always the envelope and an x-request-id, and a rejected request changes nothing. The seed is
// fixed and printed; FUZZ_SEED and FUZZ_RUNS try others. @spec errors; docs/reliability.md, I-33, I-35; docs/decisions/tests.md, G-09
import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { after } from "node:test";
import fc from "../support/fast-check.ts";
import type { Reply, Loose } from "../support/http-client.ts";
import { assertEnvelope } from "../support/assert-api-error.ts";
import { watchChanges } from "../support/changes.ts";
import { calls } from "../support/scripted-provider.ts";
import { TestService } from "../support/service.ts";

export const SEED = Number(process.env["FUZZ_SEED"] ?? 20261121);

export const FACTOR = Number(process.env["FUZZ_RUNS"] ?? 1);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** The service of a file with objects in it, and the check that each request has to pass. */
export async function startBadInput() {
  const service = await TestService.start({ limits: { body_bytes: 100_000 } });

  const agent = new Agent({ keepAlive: true });

  const conversation = (
    await service.request("POST", "/v1/conversations", { body: { items: [{ role: "user", content: "a" }] } })
  ).json.id;

  const response = (await service.create({ input: "Hi", conversation })).json.id;

  service.provider.plays(calls({ callId: "call_a" }));

  const waiting = (await service.create({ input: "Hi", tools: [{ type: "function", name: "look_up" }] })).json.id;

  const item = (await service.request("GET", `/v1/conversations/${conversation}/items`)).json.first_id;

  const changes = await watchChanges(service.database);

  after(async () => {
    agent.destroy();
    await changes.close();
    await service.close();
  });

  /** Sends a request over a kept connection, with the path unchanged. Null when the client itself cannot send it. */
  function send({ method, path, headers, body }: Sent): Promise<Reply | null> {
    const { hostname, port } = new URL(service.baseUrl);
    return new Promise((resolve, reject) => {
      let sent: ReturnType<typeof httpRequest>;
      try {
        const all = {
          authorization: `Bearer ${service.key}`,
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
          ...headers,
        };
        sent = httpRequest({ hostname, port, agent, method, path, headers: all });
      } catch {
        resolve(null);
        return;
      }
      sent.on("error", reject);
      sent.on("response", (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const received = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
          const isJson = reply.headers["content-type"]?.startsWith("application/json") === true && text !== "";
          const json: Loose = isJson ? JSON.parse(text) : null;
          resolve({ status: reply.statusCode ?? 0, headers: Object.fromEntries(received), text, json });
        });
      });
      sent.end(body);
    });
  }

  /** Counts of each status: fuzzing that is always rejected, or never, tests nothing. */
  const seen = new Map<number, number>();

  async function check(request: Sent): Promise<void> {
    const reply = await send(request);
    if (reply === null) return;
    const hasChanged = await changes.hasChanged();
    seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
    assert.match(reply.headers["x-request-id"] ?? "", /./);
    if (reply.status < 400) {
      assert.equal(reply.status, 200, reply.text);
      return;
    }
    assert.ok(reply.status < 500, `${reply.status} ${reply.text}`);
    if (request.method !== "HEAD") assertEnvelope(reply);
    assert.equal(hasChanged, false, "a refusal changes nothing");
  }

  const words =
    "resp_ conv_ msg_a auto required function json_schema user assistant input_image call_a test/all look_up";

  /** A value that fits few places. */
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, true, false),
    fc.constantFrom<unknown>(0, -1, 1, 16, 1.5, 1e308, -0, 2 ** 53),
    fc.constantFrom<unknown>("", " ", "a", "\u0000", "\ud800", "👋".repeat(65), "x".repeat(600), ...words.split(" ")),
    fc.constantFrom<unknown>(response, conversation, item, waiting),
    fc.constantFrom<unknown>([], {}, [[]], [null], [{}], { id: conversation }, { type: "text" }, { role: "user" }),
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  );
  return { service, conversation, response, waiting, item, odd, seen, check };
}
