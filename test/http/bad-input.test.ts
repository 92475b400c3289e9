// Any body: see bad-input-service.ts. @spec errors
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { CREATE_RESPONSE_FIELDS } from "../../src/contract/requests.ts";
import type { Loose } from "../support/http-client.ts";
import { FACTOR, SEED, startBadInput } from "./bad-input-service.ts";

const { conversation, response, waiting, item, odd, seen, check } = await startBadInput();

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

test("bodies that are no longer JSON: cut, spliced, overwritten, random bytes", async (context) => {
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
