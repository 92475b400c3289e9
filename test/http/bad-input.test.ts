// Whatever comes in: never a 5xx, always the envelope and an x-request-id, and a refusal changes nothing. The seed is fixed and
// printed; FUZZ_SEED and FUZZ_RUNS try others. @spec errors; docs/reliability.md, I-33, I-35, G-09
import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import fc from "fast-check";
import { CREATE_RESPONSE_FIELDS } from "../../src/contract/requests.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import type { Answer, Loose } from "../support/http-client.ts";
import { assertEnvelope } from "../support/refused.ts";
import { calls } from "../support/scripted-provider.ts";
import { TestService } from "../support/service.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? 20261121);
const FACTOR = Number(process.env["FUZZ_RUNS"] ?? 1);

const service = await TestService.start({ limits: { body_bytes: 100_000 } });
const agent = new Agent({ keepAlive: true });
const database = new DatabaseSync(service.path, { readOnly: true });
const dataVersion = database.prepare("pragma data_version");
after(async () => {
  agent.destroy();
  database.close();
  await service.close();
});

const conversation = (
  await service.request("POST", "/v1/conversations", { body: { items: [{ role: "user", content: "a" }] } })
).json.id;
const response = (await service.create({ input: "Hi", conversation })).json.id;
service.provider.plays(calls({ callId: "call_a" }));
const waiting = (await service.create({ input: "Hi", tools: [{ type: "function", name: "look_up" }] })).json.id;
const item = (await service.request("GET", `/v1/conversations/${conversation}/items`)).json.first_id;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** Sends it over a kept connection, the path as it is. Null when the client itself refuses to send that. */
function send({ method, path, headers, body }: Sent): Promise<Answer | null> {
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
    sent.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
        const isJson = answer.headers["content-type"]?.startsWith("application/json") === true && text !== "";
        const json: Loose = isJson ? JSON.parse(text) : null;
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(received), text, json });
      });
    });
    sent.end(body);
  });
}

/** How often each status came: a fuzz that is always refused, or never, tests nothing. */
const seen = new Map<number, number>();

async function check(request: Sent): Promise<void> {
  const before = dataVersion.get()?.["data_version"];
  const answer = await send(request);
  if (answer === null) return;
  seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
  assert.match(answer.headers["x-request-id"] ?? "", /./);
  if (answer.status < 400) {
    assert.equal(answer.status, 200, answer.text);
    return;
  }
  assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
  if (request.method !== "HEAD") assertEnvelope(answer);
  assert.equal(dataVersion.get()?.["data_version"], before, "a refusal changes nothing");
}

const NUMBERS = [0, -1, 1, 16, 1.5, 1e308, -0, 2 ** 53];
const WORDS = "resp_ conv_ msg_a auto required function json_schema user assistant input_image call_a test/all look_up";

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, false),
  fc.constantFrom<unknown>(...NUMBERS),
  fc.constantFrom<unknown>("", " ", "a", "\u0000", "\ud800", "👋".repeat(65), "x".repeat(600), ...WORDS.split(" ")),
  fc.constantFrom<unknown>(response, conversation, item, waiting),
  fc.constantFrom<unknown>([], {}, [[]], [null], [{}], { id: conversation }, { type: "text" }, { role: "user" }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
);

const bases: readonly (readonly [string, object])[] = [
  [
    "/v1/responses",
    {
      model: "test/all",
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "Hi" },
            { type: "text", text: "there" },
          ],
        },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "r" }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "e" },
        { role: "user", content: "more" },
      ],
      instructions: "i",
      metadata: { a: "1", b: "2" },
      safety_identifier: "s",
      user: "u",
      tools: [{ type: "function", name: "look_up", description: "d", parameters: { type: "object" }, strict: true }],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look_up" }] },
      parallel_tool_calls: true,
      max_tool_calls: 3,
      max_output_tokens: 100,
      truncation: "auto",
      stream: false,
      stream_options: { include_obfuscation: true },
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: false }, verbosity: "low" },
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "p",
      service_tier: "auto",
      background: false,
      store: true,
    },
  ],
  ["/v1/responses", { model: "test/all", input: "Hi", stream: true }],
  ["/v1/responses", { input: "Hi", previous_response_id: response }],
  ["/v1/responses", { input: "Hi", conversation: { id: conversation } }],
  [
    "/v1/responses",
    {
      input: [
        { type: "item_reference", id: item },
        { role: "user", content: "a" },
      ],
      conversation,
    },
  ],
  [
    "/v1/responses",
    { input: [{ type: "function_call_output", call_id: "call_a", output: "x" }], previous_response_id: waiting },
  ],
  [
    "/v1/conversations",
    {
      items: [
        { role: "system", content: "a" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] },
      ],
      metadata: { a: "1" },
    },
  ],
  [`/v1/conversations/${conversation}`, { metadata: { a: "1", b: "2" } }],
  [
    `/v1/conversations/${conversation}/items`,
    {
      items: [
        { role: "user", content: [{ type: "input_text", text: "a" }] },
        { type: "function_call", call_id: "z", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "z", output: "r" },
      ],
    },
  ],
];

type Slot = readonly [Loose, string | number];

/** Every place in a value that can be changed. */
function slotsOf(value: Loose): Slot[] {
  if (typeof value !== "object" || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key): Slot[] => [[value, key], ...slotsOf(value[key])]);
}

const mutation = fc.record({
  place: fc.nat(1000),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "wrap", "repeat", "add", "rename"),
  value: odd,
  field: fc.constantFrom(
    ...Object.keys(CREATE_RESPONSE_FIELDS),
    "top_logprobs",
    "reasoning",
    "starting_after",
    "items",
    "x",
  ),
});

interface Mutation {
  readonly place: number;
  readonly how: string;
  readonly value: unknown;
  readonly field: string;
}

function mutate(body: Loose, { place, how, value, field }: Mutation): void {
  const slots = slotsOf(body);
  const slot = slots[place % Math.max(1, slots.length)];
  if (slot === undefined || how === "add") {
    body[field] = structuredClone(value);
    return;
  }
  const [holder, key] = slot;
  switch (how) {
    case "replace":
      holder[key] = structuredClone(value);
      return;
    case "remove":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case "wrap":
      holder[key] = [holder[key]];
      return;
    case "repeat":
      if (Array.isArray(holder)) holder.push(...Array(25).fill(structuredClone(holder[Number(key)])));
      else holder[key] = { [key]: holder[key] };
      return;
    default:
      holder[field] = structuredClone(holder[key]);
  }
}

const headers = fc.option(
  fc.dictionary(
    fc.constantFrom(
      "idempotency-key",
      "content-type",
      "accept",
      "content-encoding",
      "x-request-id",
      "last-event-id",
      "range",
      "if-none-match",
      "cookie",
      "origin",
    ),
    fc.oneof(
      fc.constantFrom("", "a", "identity", "gzip", "k".repeat(300), "ü", "application/json"),
      fc.string({ maxLength: 20 }),
    ),
    { maxKeys: 3 },
  ),
  { nil: {} },
);

test("thousands of bodies, each field of each route mutated", async (context) => {
  context.diagnostic(`seed ${SEED}`);
  seen.clear();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bases),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      headers,
      async ([path, base], mutations, sentHeaders) => {
        const body = structuredClone(base);
        for (const one of mutations) mutate(body, one);
        await check({ method: "POST", path, headers: sentHeaders, body: JSON.stringify(body) });
      },
    ),
    { seed: SEED, numRuns: 2500 * FACTOR },
  );
  assert.ok((seen.get(200) ?? 0) > 100 && (seen.get(400) ?? 0) > 500, JSON.stringify([...seen]));
});

test("bodies that are no JSON any more: cut, spliced, overwritten, random bytes", async (context) => {
  context.diagnostic(`seed ${SEED}`);
  seen.clear();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bases),
      fc.nat(2000),
      fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        fc
          .constantFrom("\\u0000", "\\ud800", "[[[[", "}}", '"', ",", "1e999", "\\", "0")
          .map((text) => Buffer.from(text)),
      ),
      fc.nat(3),
      async ([path, base], at, splice, how) => {
        const bytes = Buffer.from(JSON.stringify(base));
        const place = at % bytes.length;
        const body = [
          Buffer.concat([bytes.subarray(0, place), splice, bytes.subarray(place)]),
          bytes.subarray(0, place),
          Buffer.concat([bytes.subarray(0, place), splice, bytes.subarray(place + splice.length)]),
          splice,
        ][how];
        await check({ method: "POST", path, body: body ?? "" });
      },
    ),
    { seed: SEED, numRuns: 700 * FACTOR },
  );
  assert.ok((seen.get(400) ?? 0) > 300, JSON.stringify([...seen]));
});

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
        // What is deleted is not to be the fixtures of the other tests.
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
