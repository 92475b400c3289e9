// Unknown fields are ignored wherever they are. @spec what-the-service-does, versioning
// docs/reliability.md, A-4
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { CREATE_RESPONSE_FIELDS } from "../../src/contract/requests.ts";
import type { Loose } from "../support/http-client.ts";
import { calls } from "../support/scripted-provider.ts";
import { withoutAttempts } from "../support/failing-targets.ts";
import { serviceForFile } from "../support/service.ts";
import { SEED } from "./provider-scripts.ts";

const service = await serviceForFile();

const KNOWN = new Set(Object.keys(CREATE_RESPONSE_FIELDS));
for (const name of (
  "items top_logprobs reasoning starting_after type id role content phase status name call_id arguments output summary " +
  "encrypted_content text format verbosity schema description parameters strict mode include_obfuscation prompt __proto__"
).split(" ")) {
  KNOWN.add(name);
}

const unknown = fc.dictionary(
  fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 8 }),
      fc.constantFrom("svc:new", "x", "Model", "input ", "prompts", "n"),
    )
    .filter((name) => !KNOWN.has(name) && !name.includes("\u0000")),
  fc.jsonValue({ maxDepth: 2, noUnicodeString: true }) as fc.Arbitrary<unknown>,
  { minKeys: 1, maxKeys: 3 },
);

/** A body with every kind of object, each with the extra fields of `add`. */
function createBody(add: () => object): object {
  return {
    ...add(),
    model: "test/all",
    input: [
      { ...add(), type: "message", role: "user", content: [{ ...add(), type: "input_text", text: "Hi" }] },
      { ...add(), type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { ...add(), type: "function_call_output", call_id: "c", output: [{ ...add(), type: "input_text", text: "r" }] },
      { ...add(), type: "reasoning", summary: [{ ...add(), type: "summary_text", text: "s" }] },
    ],
    tools: [{ ...add(), type: "function", name: "look_up" }],
    tool_choice: { ...add(), type: "allowed_tools", tools: [{ ...add(), type: "function", name: "look_up" }] },
    text: { ...add(), format: { ...add(), type: "json_schema", name: "n", schema: {} } },
    stream_options: { ...add(), include_obfuscation: false },
  };
}

const withoutIds = (value: object): unknown =>
  JSON.parse(withoutAttempts(JSON.stringify(value)).replaceAll(/\b(resp|msg|fc|fco|rs|conv)_[0-9a-f]{8,}/g, "$1"));

test("a create with unknown fields everywhere is the create without them", async () => {
  service.provider.plays(calls({ callId: "a" }));
  const plain = await service.create(createBody(() => ({})));
  assert.equal(plain.status, 200, plain.text);
  const plainPrompt = service.provider.calls.at(-1)?.prompt;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(unknown), fc.boolean(), async (fields, stream) => {
      service.provider.plays(calls({ callId: "a" }));
      const body = createBody(() => fields.next().value);
      const response = stream
        ? (await service.stream(body)).events.at(-1)?.data.response
        : (await service.create(body)).json;
      assert.deepEqual(withoutIds(response), withoutIds(plain.json));
      assert.deepEqual(service.provider.calls.at(-1)?.prompt, plainPrompt);
    }),
    { seed: SEED, numRuns: 100 },
  );
});

test("conversations, labels and items too are created without them", async () => {
  const items = (add: () => object) => [
    { ...add(), role: "user", content: "a" },
    { ...add(), role: "assistant", content: [{ ...add(), type: "output_text", text: "b" }] },
  ];
  const run = async (add: () => object): Promise<unknown[]> => {
    const created = await service.request("POST", "/v1/conversations", {
      body: { ...add(), items: items(add), metadata: { a: "1" } },
    });
    const path = `/v1/conversations/${created.json.id}`;
    const labelled = await service.request("POST", path, { body: { ...add(), metadata: { b: "2" } } });
    const added = await service.request("POST", `${path}/items`, { body: { ...add(), items: items(add) } });
    const listed = await service.request("GET", `${path}/items`);
    const replies = [created, labelled, added, listed];
    assert.ok(
      replies.every(({ status }) => status === 200),
      replies.map(({ text }) => text).join("\n"),
    );
    return replies.map(({ json }: Loose) => withoutIds(json));
  };
  const plain = await run(() => ({}));
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(unknown), async (fields) => {
      assert.deepEqual(await run(() => fields.next().value), plain);
    }),
    { seed: SEED, numRuns: 40 },
  );
});

test("unknown headers have no effect, except for two", async () => {
  const headers = {
    "openai-beta": "x",
    "x-stainless-retry-count": "1",
    "last-event-id": "4",
    accept: "text/plain",
    te: "trailers",
  };
  assert.equal((await service.create({ input: "Hi" }, { headers })).status, 200);
});

/** Values that no field that is read may have, or that take long to look at. */
const UNREADABLE = {
  "a hundred nested lists": `${"[".repeat(100)}${"]".repeat(100)}`,
  "half a surrogate pair": String.raw`"\ud800"`,
  "a key that is half of one": String.raw`{"\udc00":1}`,
  "a number without end": "1".repeat(10_000),
  "thousands of values": `[${"0,".repeat(5_000)}0]`,
};
for (const [name, value] of Object.entries(UNREADABLE)) {
  test(`an unknown field with ${name} has no effect anywhere`, async () => {
    const marked = JSON.stringify(createBody(() => ({ unheard_of: "mark" })));
    const body = marked.replaceAll('"mark"', value);
    service.provider.plays(calls({ callId: "a" }));
    const plain = await service.create(createBody(() => ({})));
    service.provider.plays(calls({ callId: "a" }));
    const reply = await service.request("POST", "/v1/responses", { body });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(withoutIds(reply.json), withoutIds(plain.json));
  });
}
