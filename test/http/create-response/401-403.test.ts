// Authentication and permission: keys, permissions, organizations, on every route. @spec authentication
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { ROUTES } from "../../../src/contract/routes.ts";
import type { RequestOptions } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { TESTS } from "../../support/actor.ts";

const service = await serviceForFile();

const BAD_KEY = { status: 401, code: "invalid_api_key" };

const routes = ROUTES.map(({ method, path, operation, permission, allowance }) => ({
  method,
  operation,
  permission,
  allowance,
  path: `/v1${path.replace(":response_id", "resp_a").replace(":conversation_id", "conv_a").replace(":item_id", "msg_a")}`,
}));

/** A request to a route that is well-formed apart from its key. */
function ask(route: (typeof routes)[number], options: RequestOptions) {
  const body = { model: "test/all", input: "Hi", metadata: {}, items: [] };
  return service.request(route.method, route.path, route.method === "POST" ? { body, ...options } : options);
}

describe("401 invalid_api_key on every route", () => {
  // In the specification's exact words, letter case included.
  const MALFORMED = /^missing or malformed Authorization header/;
  const flipped = (secret: string) => secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a");
  const rows: readonly (readonly [string, (secret: string) => RequestOptions, RegExp])[] = [
    ["no header", () => ({ key: null }), MALFORMED],
    ["another scheme", (secret) => ({ key: null, headers: { authorization: `Basic ${secret}` } }), MALFORMED],
    ["the bare key", (secret) => ({ key: null, headers: { authorization: secret } }), MALFORMED],
    ["Bearer without a key", () => ({ key: null, headers: { authorization: "Bearer " } }), MALFORMED],
    ["two words", (secret) => ({ key: null, headers: { authorization: `Bearer ${secret} ${secret}` } }), MALFORMED],
    [
      "a stray byte behind the key",
      (secret) => ({ key: null, headers: { authorization: `Bearer ${secret}\u00a0` } }),
      MALFORMED,
    ],
    ["a mistyped key", (secret) => ({ key: flipped(secret) }), /not valid/],
    ["an incomplete key", (secret) => ({ key: secret.slice(0, -4) }), /not valid/],
    ["a longer key", (secret) => ({ key: `${secret}x` }), /not valid/],
    ["something else", () => ({ key: "sk_test" }), /not valid/],
    ["an unknown key", () => ({ key: service.secrets.mintApiKey().secret }), /not valid/],
  ];
  for (const [name, options, message] of rows) {
    test(name, async () => {
      for (const route of routes) {
        const reply = await ask(route, options(service.key));
        assertApiError(reply, { ...BAD_KEY, message });
        assert.equal(reply.headers["www-authenticate"], "Bearer");
      }
    });
  }

  test("before any error in the body", async () => {
    const small = await TestService.start({ limits: { body_bytes: 100 } });
    try {
      const paths = ["/v1/responses", "/v1/conversations", "/v1/conversations/conv_a"];
      for (const path of paths) {
        for (const body of ["{", "x".repeat(101)]) {
          assertApiError(await small.request("POST", path, { key: "sk_test", body }), BAD_KEY);
        }
        const encoded = { key: "sk_test", body: "{}", headers: { "content-encoding": "gzip" } };
        assertApiError(await small.request("POST", path, encoded), BAD_KEY);
      }
    } finally {
      await small.close();
    }
  });

  test("before the body has arrived: the body of a rejected caller is not kept", async () => {
    for (const path of ["/v1/responses", "/v1/conversations", "/v1/conversations/conv_a/items"]) {
      const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test\r\nContent-Length: 30000000\r\n\r\n{`,
      );
      const [reply] = (await once(socket, "data")) as [Buffer];
      assert.match(reply.toString(), /^HTTP\/1\.1 401 /, path);
      socket.destroy();
    }
  });

  test("two Authorization headers", async () => {
    // Node's client joins them into one, so they are written to the socket.
    const { request } = await import("node:http");
    const status = await new Promise((resolve, reject) => {
      const sent = request(new URL("/v1/models", service.baseUrl), { agent: false }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      sent.setHeader("authorization", [`Bearer ${service.key}`, `Bearer ${service.key}`]);
      sent.on("error", reject);
      sent.end();
    });
    assert.equal(status, 401);
  });

  test("paths that are not served too: authentication comes first", async () => {
    for (const path of ["/v1", "/v1/", "/v1/chat/completions", "/v1/embeddings"]) {
      assertApiError(await service.request("POST", path, { key: null }), BAD_KEY);
    }
  });

  test("the scheme's letter case is free", async () => {
    for (const scheme of ["bearer", "BEARER", "Bearer "]) {
      const headers = { authorization: `${scheme} ${service.key}` };
      assert.equal((await service.request("GET", "/v1/models", { key: null, headers })).status, 200);
    }
  });
});

describe("403 access_denied", () => {
  const DENIED = { status: 403, code: "access_denied" };

  test("a key without permission is rejected on every route, models too", async () => {
    const { secret } = await service.newKey(service.organizationId, "none");
    for (const route of routes) {
      const reply = await ask(route, { key: secret });
      assertApiError(reply, { ...DENIED, message: /no permission/ });
      const { allowance } = route;
      const limit =
        allowance === null ? undefined : String(service.manageServices.limits.requests_per_minute[allowance]);
      assert.equal(reply.headers["x-ratelimit-limit-requests"], limit, route.operation);
    }
  });

  test("a key that may read is rejected where something changes, and read what it created before", async () => {
    const { secret } = await service.newKey(service.organizationId, "read");
    for (const route of routes) {
      const reply = await ask(route, { key: secret });
      if (route.permission === "all") assertApiError(reply, { ...DENIED, message: /may only read/ });
      else assert.equal(reply.status, route.operation === "listModels" ? 200 : 404, route.operation);
    }
  });

  test("a suspended organization is rejected on every route", async () => {
    const { organizationId } = await service.newOrganization();
    const { secret } = await service.newKey(organizationId);
    const { json } = await service.create({ input: "Hi" }, { key: secret });
    await service.store.updateOrganization({ by: TESTS, organizationId, suspended: true });
    for (const route of routes) assertApiError(await ask(route, { key: secret }), { ...DENIED, message: /suspended/ });
    await service.store.updateOrganization({ by: TESTS, organizationId, suspended: false });
    assert.equal((await service.request("GET", `/v1/responses/${json.id}`, { key: secret })).status, 200);
  });
});

describe("revoked and rotated keys", () => {
  test("revocation is immediate; a running response finishes, and no key can read it", async () => {
    const { secret, keyId } = await service.newKey();
    const { opened, open } = gate();
    service.provider.plays([opened, [{ type: "text", text: "late" }], FINISHED]);
    const asked = service.provider.calls.length;
    const pending = service.create({ input: "Hi" }, { key: secret });
    await until("the call", () => service.provider.calls.length > asked);
    await service.store.revokeKey({ by: TESTS, keyId, revokedAt: 1 });
    for (const route of routes) assertApiError(await ask(route, { key: secret }), BAD_KEY);
    open();
    const { json } = await pending;
    assert.equal(json.status, "completed");
    assertApiError(await service.request("GET", `/v1/responses/${json.id}`, { key: secret }), BAD_KEY);
    const other = await service.request("GET", `/v1/responses/${json.id}`);
    assertApiError(other, { status: 404, code: "resource_not_found" });
    const continued = await service.create({ input: "More", previous_response_id: json.id });
    assertApiError(continued, { status: 404, code: "resource_not_found" });
  });

  test("a rotated key keeps its history; the old secret holds exactly until its grace ends", async () => {
    const { secret: old, keyId } = await service.newKey();
    const first = await service.create({ input: "Hi" }, { key: old });
    const minted = service.secrets.mintApiKey();
    const secret = { lookup: minted.lookup, hash: minted.hash };
    await service.store.rotateKey({ by: TESTS, keyId, secret, graceSeconds: 3600 });
    const read = (key: string) => service.request("GET", `/v1/responses/${first.json.id}`, { key });
    assert.equal((await read(minted.secret)).text, first.text);
    assert.equal((await read(old)).text, first.text);
    await service.clock.advance(3_599_000);
    assert.equal((await read(old)).status, 200);
    await service.clock.advance(1_000);
    assertApiError(await read(old), BAD_KEY);
    const next = await service.create({ input: "More", previous_response_id: first.json.id }, { key: minted.secret });
    assert.equal(next.status, 200);
  });

  test("a rotation without grace stops the old secret at once", async () => {
    const { secret: old, keyId } = await service.newKey();
    const { lookup, hash } = service.secrets.mintApiKey();
    await service.store.rotateKey({ by: TESTS, keyId, secret: { lookup, hash }, graceSeconds: 0 });
    assertApiError(await service.request("GET", "/v1/models", { key: old }), BAD_KEY);
  });
});
