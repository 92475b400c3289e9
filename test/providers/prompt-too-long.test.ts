// A provider that counts a prompt as longer than its model takes, though the estimate of the fit check says that it
// fits: denser text than four characters a token. @spec endpoints/truncation-behavior; docs/wire.md (Provider failures)
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { assertApiError } from "../support/assert-api-error.ts";
import { FAMILIES, type Family } from "../support/families.ts";
import { CHAT_WIRE } from "../support/fake-chat.ts";
import { GEMINI_WIRE } from "../support/fake-gemini.ts";
import { MESSAGES_WIRE } from "../support/fake-messages.ts";
import { FakeProvider, type Wire } from "../support/fake-provider.ts";
import { RESPONSES_WIRE } from "../support/fake-responses.ts";
import type { Loose } from "../support/http-client.ts";
import { credits, PRICES, Purse } from "../support/money.ts";
import { openProviders } from "../support/provider-registry.ts";
import { TestService } from "../support/service.ts";

/** The provider counts a token for every Chinese character, brace and quotation mark, and takes so many. */
const TAKES = 11_000;
const COUNTED = /[费{}"]/g;
const TEXT = "费".repeat(2_000);
const JSON_TEXT = `[${Array.from({ length: 333 }, () => '{"a":"b"}').join()}]`;
/** Thirty tools of two hundred tokens each: more than half of what fits, and a third by their characters. */
const TOOLS = Array.from({ length: 30 }, (_, tool) => {
  const values = Array.from({ length: 100 }, (__, value) => `v${value}`);
  const parameters = { type: "object", properties: { v: { type: "string", enum: values } } };
  return { type: "function", name: `tool_${tool}`, parameters, strict: false };
});

/** The wire of each family, and its rejection of a prompt of too many tokens. */
const WIRES: Readonly<Record<string, { readonly wire: Wire; rejection(tokens: number): object }>> = {
  anthropic: {
    wire: MESSAGES_WIRE,
    rejection: (tokens) => ({
      type: "error",
      error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${TAKES} maximum` },
    }),
  },
  gemini: {
    wire: GEMINI_WIRE,
    rejection: (tokens) => ({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${TAKES}).`,
      },
    }),
  },
  openai: {
    wire: RESPONSES_WIRE,
    rejection: () => ({
      error: {
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    }),
  },
  "openai-compatible": {
    wire: CHAT_WIRE,
    rejection: (tokens) => ({
      object: "error",
      message: `This model's maximum context length is ${TAKES} tokens. However, you requested ${tokens} tokens.`,
      type: "BadRequestError",
      code: 400,
    }),
  },
};

/** A fake of the family's server that counts, and its model with a window of twelve thousand tokens. */
async function start(family: Family) {
  const { wire, rejection } = WIRES[family.name] ?? assert.fail(family.name);
  const counting: Wire = {
    ...wire,
    check(request) {
      const tokens = JSON.stringify(request.body).match(COUNTED)?.length ?? 0;
      if (tokens <= TAKES) return wire.check(request);
      return { status: 400, message: "too long", body: rejection(tokens) };
    },
  };
  const server = await FakeProvider.start(counting);
  const { entry, close } = await family.start();
  await close();
  const limits = { contextWindow: 12_000, maxOutputTokens: 1_000, defaultOutputTokens: 500 };
  return {
    server,
    entry: { ...entry, baseUrl: server.baseUrl },
    model: { ...family.model, ...limits, prices: PRICES },
  };
}

const started = await Promise.all(FAMILIES.map(start));
const providers = await openProviders(started.map(({ entry }) => entry));
const service = await TestService.start({ providers, models: started.map(({ model }) => model) });
after(async () => {
  await service.close();
  await providers.close();
  await Promise.all(started.map(({ server }) => server.close()));
});

for (const [index, family] of FAMILIES.entries()) {
  const { server, model } = started[index] ?? assert.fail();
  const rejected = () => server.calls.filter(({ error }) => error === "too long").length;

  /** Creates a turn, and returns its response, or its error. */
  async function take(purse: Purse, body: object, stream = false): Promise<Loose> {
    const create = { model: model.id, input: `${TEXT}\n/say ok`, ...body };
    if (!stream) return (await purse.create(create)).json;
    const { events } = await purse.stream(create);
    return events.at(-1)?.data.response;
  }

  /** The ids of five turns, which the provider takes; the sixth is too long with them. */
  async function fiveResponses(purse: Purse): Promise<string[]> {
    const ids: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const response = await take(purse, ids.length === 0 ? {} : { previous_response_id: ids.at(-1) });
      assert.equal(response.status, "completed", JSON.stringify(response));
      ids.push(response.id);
    }
    return ids;
  }

  describe(family.name, () => {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "awaited";

      test(`auto, ${how}: the oldest turns go and the prompt is sent again; the turn is charged once`, async () => {
        const purse = await Purse.open(service, 100_000);
        let spent = 0;
        let previous: object = {};
        const before = rejected();
        for (let turn = 0; turn < 8; turn++) {
          const response = await take(purse, { ...previous, truncation: "auto" }, stream);
          assert.equal(response.status, "completed", JSON.stringify(response));
          spent += response.usage.total_tokens;
          previous = { previous_response_id: response.id };
          if (turn === 5) {
            const [warning] = response["svc:warnings"];
            assert.deepEqual([warning.code, warning.param], ["truncated", "truncation"]);
            assert.match(
              warning.message,
              /^\d more turns? w.* dropped .*: the provider rejected the prompt as too long/,
            );
            assert.deepEqual((await purse.retrieve(response.id)).json, response);
          }
        }
        assert.ok(rejected() > before);
        await purse.agrees(credits(spent / 10));
      });

      test(`auto, ${how}: a turn that is too long by itself fails, and is not sent again`, async () => {
        const purse = await Purse.open(service, 100_000);
        const [id] = await fiveResponses(purse);
        for (const previous of [{}, { previous_response_id: id }]) {
          const before = server.calls.length;
          const long = { ...previous, input: "费".repeat(TAKES + 1), truncation: "auto" };
          const response = await take(purse, long, stream);
          assert.match(response.error.message, /longer than .* takes, by its provider's count: send less\./);
          assert.equal(response.error.code, stream ? "provider_client_error" : "context_length_exceeded");
          assert.ok(server.calls.length <= before + 2);
        }
      });
    }

    for (const [name, body] of [
      ["JSON", { input: `${JSON_TEXT}\n/say ok` }],
      ["thirty tools", { input: `${"费".repeat(1_000)}\n/say ok`, tools: TOOLS }],
    ] as const) {
      test(`auto, ${name}: the conversation goes on when its turns no longer fit`, async () => {
        const purse = await Purse.open(service, 100_000);
        let previous: object = {};
        const before = rejected();
        for (let turn = 0; turn < 8; turn++) {
          const response = await take(purse, { ...body, ...previous, truncation: "auto" });
          assert.equal(response.status, "completed", JSON.stringify(response));
          previous = { previous_response_id: response.id };
        }
        assert.ok(rejected() > before);
      });
    }

    test("disabled, awaited: 400, and the turn has never been", async () => {
      const purse = await Purse.open(service, 100_000);
      const { json: conversation } = await service.request("POST", "/v1/conversations", { key: purse.key });
      const path = `/v1/conversations/${conversation.id}/items`;
      let spent = 0;
      for (let turn = 0; turn < 5; turn++) {
        spent += (await take(purse, { conversation: conversation.id })).usage.total_tokens;
      }
      const items = async () => (await service.request("GET", path, { key: purse.key })).text;
      const before = await items();
      const body = { model: model.id, conversation: conversation.id, input: TEXT };
      const headers = { "idempotency-key": `long ${family.name}` };
      const reply = await purse.create(body, headers);
      assertApiError(reply, { status: 400, code: "context_length_exceeded" });
      assert.match(reply.json.error.message, /provider's count: set truncation to auto, or send less\./);
      assert.equal(await items(), before);
      await purse.agrees(credits(spent / 10));
      const again = await purse.create({ ...body, truncation: "auto" }, headers);
      assert.equal(again.json.status, "completed", again.text);
    });

    test("disabled, streamed: a failed response that says what to do, and costs nothing", async () => {
      const purse = await Purse.open(service, 100_000);
      const ids = await fiveResponses(purse);
      const response = await take(purse, { previous_response_id: ids.at(-1) }, true);
      assert.equal(response.status, "failed");
      assert.equal(response.error.code, "provider_client_error");
      assert.match(response.error.message, /provider's count: set truncation to auto, or send less\./);
      assert.equal(response["svc:error"].retryable, false);
      assert.equal(response.usage.total_tokens, 0);
    });
  });
}
