// Any path, query and Authorization header: see bad-input-service.ts. @spec errors
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { FACTOR, SEED, startBadInput } from "./bad-input-service.ts";

const { service, conversation, response, item, odd, seen, check } = await startBadInput();

test("paths and queries", async (context) => {
  context.diagnostic(`seed ${SEED}`);
  seen.clear();
  const segment = fc.oneof(
    fc.constantFrom(
      "v1",
      "responses",
      "conversations",
      "items",
      "cancel",
      "models",
      "",
      ".",
      "..",
      "%2e%2e",
      "%00",
      "%",
      "%zz",
      "%ff",
      "a".repeat(3000),
    ),
    fc.constantFrom(
      response,
      conversation,
      item,
      `${response}%20`,
      response.toUpperCase(),
      "resp_",
      "__proto__",
      "constructor",
    ),
    fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const served = fc.constantFrom(...ROUTES).chain(({ path }) =>
    fc.array(segment, { minLength: 2, maxLength: 2 }).map(([first = "", second = ""]) => {
      let count = 0;
      return `/v1${path.replace(/:\w+/g, () => (count++ === 0 ? first : second))}`;
    }),
  );
  const anyPath = fc.oneof(
    served,
    served,
    fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
  );
  const parameter = fc.tuple(
    fc.constantFrom(
      "limit",
      "order",
      "after",
      "include",
      "include[]",
      "include[0]",
      "include[x]",
      "x",
      "",
      "%",
      "%00",
      "stream",
    ),
    fc.oneof(
      fc.constantFrom(
        "",
        "0",
        "1",
        "500",
        "501",
        "-1",
        "1e3",
        "asc",
        "desc",
        "reasoning.encrypted_content",
        item,
        "%00",
        "%",
        "%ff",
        "a+b",
      ),
      fc.string({ maxLength: 6 }).map((text) => encodeURIComponent(text.toWellFormed())),
    ),
  );
  const query = fc
    .array(parameter, { maxLength: 3 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "GET"),
      anyPath,
      query,
      fc.option(odd),
      async (method, path, search, body) => {
        // Deletes must not hit the fixtures of the other tests.
        if (method === "DELETE" && path.includes(conversation)) return;
        if (/^\/(docs|openapi\.json|healthz|readyz)/.test(path)) return;
        const text = JSON.stringify(body) ?? "";
        const withBody = method === "POST" || method === "PUT" ? { body: text } : {};
        await check({ method, path: search === "" ? path : `${path}?${search}`, ...withBody });
      },
    ),
    { seed: SEED, numRuns: 1500 * FACTOR },
  );
  assert.ok((seen.get(404) ?? 0) > 300 && (seen.get(200) ?? 0) > 10, JSON.stringify([...seen]));
});

test("Authorization headers", async (context) => {
  context.diagnostic(`seed ${SEED}`);
  seen.clear();
  const { key } = service;
  const value = fc.oneof(
    fc.constantFrom(
      "",
      "Bearer",
      "Bearer ",
      "Basic abc",
      "bearer x",
      `Bearer ${key} `,
      `Bearer  ${key}`,
      `Bearer ${key},`,
      "Bearer sk_",
    ),
    fc
      .tuple(fc.nat(key.length), fc.string({ maxLength: 2 }))
      .map(([at, text]) => `Bearer ${key.slice(0, at)}${text}${key.slice(at)}`),
    fc
      .tuple(fc.nat(key.length - 1), fc.constantFrom("a", "0", "_", "é"))
      .map(([at, text]) => `Bearer ${key.slice(0, at)}${text}${key.slice(at + 1)}`),
    fc.string({ maxLength: 80 }),
  );
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(...ROUTES), async (authorization, { method, path }) => {
      await check({ method, path: `/v1${path}`, headers: { authorization } });
    }),
    { seed: SEED, numRuns: 500 * FACTOR },
  );
  assert.ok((seen.get(401) ?? 0) > 300, JSON.stringify([...seen]));
});
