// The check of the configured providers, which asks their servers. Access by role: access.test.ts.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { Config } from "../../src/config/config.ts";
import { PROVIDER_CHECKS_PER_MINUTE } from "../../src/contract/manage/limits.ts";
import type { Reply } from "../support/http-client.ts";
import { familyOf } from "../support/family-of.ts";
import { until } from "../support/until.ts";
import { ManagedService } from "./managed-service.ts";

/** A provider's server, closed after the tests. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Each question by its path and key. */
const asked: string[] = [];
const origin = await serve(({ url = "", headers }, response) => {
  const key = String(headers.authorization ?? headers["x-goog-api-key"] ?? "none").replace("Bearer ", "");
  asked.push(`${url} ${key}`);
  if (url.startsWith("/lost")) response.statusCode = 404;
  else if (url.startsWith("/down")) response.statusCode = 503;
  else if (!key.startsWith("CANARY-good")) response.statusCode = url.startsWith("/v1beta") ? 400 : 401;
  response.end('{"error":{"details":[{"reason":"API_KEY_INVALID"}]}, "text": "CANARY-text"}');
});

let silent = 0;
const silentOrigin = await serve(() => void silent++);

function provider(name: string, baseUrl: string, keys: readonly string[] = [], type = "openai-compatible") {
  const [apiKey = null, ...furtherApiKeys] = keys;
  return { name, family: familyOf(type), baseUrl, apiKey, furtherApiKeys, because: "this test" };
}

/** A service with these providers besides that of its models. */
async function start(furtherProviders: Config["providers"]): Promise<ManagedService> {
  const managed = await ManagedService.start({ furtherProviders });
  after(() => managed.close());
  return managed;
}

const check = (managed: ManagedService): Promise<Reply> => managed.ask(managed.operator, "POST", "/providers/check");

const SIMULATED = {
  name: "scripted",
  type: "simulated",
  ok: true,
  keys: [{ position: null, ok: true, detail: "built in", duration_ms: 0 }],
};
/** A finding by a clock that does not move. */
const finding = (position: number | null, ok: boolean, detail: string) => ({ position, ok, detail, duration_ms: 0 });

test("each provider is asked with each of its keys; no secret is in the reply or in the log", async () => {
  const type = "openai-compatible";
  const managed = await start([
    provider("good", `${origin}/v1`, ["CANARY-good-1", "CANARY-bad", "CANARY-good-2"]),
    provider("wrong", origin, ["CANARY-wrong"], "gemini"),
    provider("keyless", `${origin}/lost/CANARY-path?token=CANARY-query`),
    provider("down", `${origin}/down`),
    provider("off", "http://127.0.0.1:1/CANARY-path"),
  ]);
  const { store, service } = managed;
  const audit = () => store.listAudit({ organizationId: null, before: null, limit: 1 });
  const before = await audit();
  const { status, json, text } = await check(managed);
  assert.equal(status, 200, text);
  assert.deepEqual(json, {
    checked_at: Math.floor(service.clock.nowMs() / 1000),
    data: [
      SIMULATED,
      {
        name: "good",
        type,
        ok: false,
        keys: [
          finding(1, true, `${origin} replies (200), the key works`),
          finding(2, false, `${origin} rejects the key of good (401)`),
          finding(3, true, `${origin} replies (200), the key works`),
        ],
      },
      {
        name: "wrong",
        type: "gemini",
        ok: false,
        keys: [finding(1, false, `${origin} rejects the key of wrong (400)`)],
      },
      {
        name: "keyless",
        type,
        ok: true,
        keys: [finding(null, true, `${origin} replies (404): there is no /models; if turns fail, check the base URL`)],
      },
      { name: "down", type, ok: false, keys: [finding(null, false, `${origin} has a server error (503)`)] },
      {
        name: "off",
        type,
        ok: false,
        keys: [finding(null, false, "http://127.0.0.1:1 can't be reached (connect ECONNREFUSED 127.0.0.1:1)")],
      },
    ],
  });
  assert.deepEqual(asked.toSorted(), [
    "/down/models none",
    "/lost/CANARY-path/models?token=CANARY-query none",
    "/v1/models CANARY-bad",
    "/v1/models CANARY-good-1",
    "/v1/models CANARY-good-2",
    "/v1beta/models CANARY-wrong",
  ]);
  assert.doesNotMatch(text, /CANARY/);
  assert.doesNotMatch(JSON.stringify(service.logged), /CANARY/);
  assert.deepEqual(await audit(), before);
  const logged = service.logged.filter(({ event }) => event === "manage.changed").map(({ fields }) => fields);
  assert.match(JSON.stringify(logged), /^\[\{"operation":"checkProviders","actor_kind":"token",[^{]*\}\]$/);
});

test("a provider that is silent has 5 seconds; a few are asked at once, and a request meanwhile asks none again", async () => {
  silent = 0;
  const keys = Array.from({ length: 10 }, (_, index) => `key-${index}`);
  const managed = await start([provider("silent", silentOrigin, keys)]);
  const { clock } = managed.service;
  const first = check(managed);
  await until("the first questions", () => silent === 8);
  const meanwhile = managed.services.checkProviders();
  await clock.advance(4999);
  assert.equal(silent, 8);
  await clock.advance(1);
  await until("the other questions", () => silent === 10);
  await clock.advance(5000);
  const { json, status } = await first;
  assert.equal(status, 200);
  assert.deepEqual(json.data[1].keys[9], {
    position: 10,
    ok: false,
    detail: `${silentOrigin} can't be reached (no reply within 5 seconds)`,
    duration_ms: 5000,
  });
  assert.equal((await meanwhile).providers[1]?.keys[9]?.detail, json.data[1].keys[9].detail);
  assert.equal(silent, 10);
});

test("of an endless reply only the beginning is read", async () => {
  let isClosed = false;
  const endless = await serve((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 32);
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", write);
    response.on("close", () => {
      isClosed = true;
    });
    write();
  });
  const managed = await start([provider("endless", endless)]);
  const { json } = await check(managed);
  assert.deepEqual(json.data[1].keys, [finding(null, true, `${endless} replies (200)`)]);
  await until("the end of the connection", () => isClosed);
});

test("a node checks a few times a minute", async () => {
  const managed = await start([]);
  for (let at = 0; at < PROVIDER_CHECKS_PER_MINUTE; at++) assert.equal((await check(managed)).status, 200);
  const { status, json, headers } = await check(managed);
  assert.deepEqual([status, json.error.code, headers["retry-after"]], [429, "rate_limit_exceeded", "10"]);
  await managed.service.clock.advance(10_000);
  assert.equal((await check(managed)).status, 200);
});

test("after a reload those of the new configuration are asked", async () => {
  const managed = await ManagedService.start({
    reread: async (started) => ({ ...started, providers: [...started.providers, provider("new", `${origin}/v1`)] }),
  });
  after(() => managed.close());
  assert.equal((await managed.ask(managed.operator, "POST", "/configuration/reload")).status, 200);
  const { json } = await check(managed);
  assert.deepEqual(
    json.data.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok]),
    [
      ["scripted", true],
      ["new", false],
    ],
  );
});
