import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI, {
  APIConnectionError,
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { StoreError } from "../../../src/ports/store.ts";
import type { Store } from "../../../src/ports/store.ts";
import { PROVIDERS } from "../providers.ts";
import { connect, type Given, onEveryProvider, withGateway } from "./gateway.ts";
import { TESTS } from "../../support/actor.ts";

type ErrorClass = new (...given: never[]) => APIError;

interface Expected {
  readonly class: ErrorClass;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string;
}

/** What a refusal is to a user of the client: its class, its status, code, type, param, and the id to report. */
async function assertRefused(promise: Promise<unknown>, expected: Expected): Promise<APIError> {
  const error = await promise.then(
    () => assert.fail("was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof expected.class, String(error));
  const { status, code, type, param = null } = expected;
  assert.deepEqual(
    { status: error.status, code: error.code, type: error.type, param: error.param ?? null },
    { status, code, type, param },
  );
  assert.match(error.requestID ?? "", /^req_/);
  assert.match(error.message, new RegExp(`^${status} \\S`));
  return error;
}

const BAD_INPUT = { class: BadRequestError, status: 400, code: "invalid_input", type: "invalid_request_error" };
const NOT_FOUND = { class: NotFoundError, status: 404, code: "resource_not_found", type: "not_found_error" };
const NO_LIMITS = { createPerMinute: null, retrievePerMinute: null, deletePerMinute: null, openStreams: null };
const UNKNOWN_ID = "resp_000000000000000000000000";

onEveryProvider((given) => {
  const { model } = given;
  const unsaid = "x";

  const refusedBodies: [string, OpenAI.Responses.ResponseCreateParamsNonStreaming, string | undefined][] = [
    ["no model", { input: unsaid }, "model"],
    ["an unknown model", { model: "none/such", input: unsaid }, "model"],
    ["no input", { model }, "input"],
    ["a system message", { model, input: [{ role: "system", content: "x" }] }, "input"],
    ["an assistant message", { model, input: [{ role: "assistant", content: "x" }] }, "input"],
    ["an item reference on a first turn", { model, input: [{ type: "item_reference", id: "msg_1" }] }, "input"],
    [
      "an image",
      { model, input: [{ role: "user", content: [{ type: "input_image", detail: "auto", image_url: "http://x/y" }] }] },
      "input",
    ],
    ["too few max_output_tokens", { model, input: unsaid, max_output_tokens: 15 }, "max_output_tokens"],
    ["max_tool_calls of zero", { model, input: unsaid, max_tool_calls: 0 }, "max_tool_calls"],
    ["a temperature out of range", { model, input: unsaid, temperature: 3 }, "temperature"],
    ["top_logprobs", { model, input: unsaid, top_logprobs: 2 }, "top_logprobs"],
    ["background", { model, input: unsaid, background: true }, "background"],
    ["store: false", { model, input: unsaid, store: false }, "store"],
    ["reasoning", { model, input: unsaid, reasoning: { effort: "low" } }, "reasoning"],
    ["tool_choice naming no tool", { model, input: unsaid, tool_choice: "required" }, "tool_choice"],
    ["an unknown include", { model, input: unsaid, include: ["nonsense" as never] }, "include"],
    ["too long a safety_identifier", { model, input: unsaid, safety_identifier: "x".repeat(65) }, "safety_identifier"],
    ["too long a label", { model, input: unsaid, metadata: { long: "x".repeat(513) } }, "metadata"],
    [
      "previous_response_id beside conversation",
      { model, input: unsaid, previous_response_id: UNKNOWN_ID, conversation: "conv_1" },
      undefined,
    ],
    ["a malformed previous_response_id", { model, input: unsaid, previous_response_id: "1" }, "previous_response_id"],
  ];
  for (const [what, body, param] of refusedBodies) {
    test(`${what} is a BadRequestError`, async () => {
      const error = await given.client.responses.create(body).then(
        () => assert.fail("was not refused"),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof BadRequestError);
      assert.equal(error.code, "invalid_input");
      if (param !== undefined) assert.equal(error.param, param);
      assert.match(error.requestID ?? "", /^req_/);
    });
  }

  test("a stream that is refused throws before it begins", async () => {
    await assertRefused(given.client.responses.create({ model, input: "", stream: true }), {
      ...BAD_INPUT,
      param: "input",
    });
    await assertRefused(given.client.responses.stream({ model, input: "" }).finalResponse(), {
      ...BAD_INPUT,
      param: "input",
    });
  });

  test("a turn larger than the window is a BadRequestError with a code of its own", async () => {
    await assertRefused(given.client.responses.create({ model, input: "x".repeat(5_000_000) }), {
      class: BadRequestError,
      status: 400,
      code: "context_length_exceeded",
      type: "invalid_request_error",
    });
  });

  test("what is not there, or is another key's, is a NotFoundError", async () => {
    const { responses, conversations } = given.client;
    const mine = await responses.create({ model, input: "mine" });
    const { secret } = await given.service.newKey();
    const other = given.connect({ apiKey: secret });
    const refusals = [
      () => responses.retrieve(UNKNOWN_ID),
      () => responses.retrieve("nonsense"),
      () => responses.cancel(UNKNOWN_ID),
      () => responses.delete(UNKNOWN_ID),
      () => responses.create({ input: "x", previous_response_id: UNKNOWN_ID }),
      () => responses.create({ model, input: "x", conversation: "conv_1" }),
      () => conversations.retrieve("conv_1"),
      () => conversations.items.list("conv_1"),
      () => conversations.items.retrieve("msg_1", { conversation_id: "conv_1" }),
      () => other.responses.retrieve(mine.id),
      () => other.responses.cancel(mine.id),
      () => other.responses.create({ input: "x", previous_response_id: mine.id }),
    ];
    const messages = new Set<string>();
    for (const ask of refusals) messages.add((await assertRefused(ask(), NOT_FOUND)).message);
    assert.equal(messages.size, 1);
  });

  test("what is not served is a NotFoundError", async () => {
    const { responses, chat, embeddings } = given.client;
    const { id } = await responses.create({ model, input: "x" });
    await assertRefused(responses.inputItems.list(id), NOT_FOUND);
    await assertRefused(responses.compact({ model }), NOT_FOUND);
    await assertRefused(chat.completions.create({ model, messages: [{ role: "user", content: "x" }] }), NOT_FOUND);
    await assertRefused(embeddings.create({ model, input: "x" }), NOT_FOUND);
  });

  test("a stream can't be resumed: the query is refused by name", async () => {
    const { id } = await given.client.responses.create({ model, input: "x" });
    await assertRefused(given.client.responses.retrieve(id, { stream: true }), { ...BAD_INPUT, param: "stream" });
  });

  test("the models of the catalog are listed", async () => {
    const ids: string[] = [];
    for await (const { id } of given.client.models.list()) ids.push(id);
    assert.ok(ids.includes(model));
  });
});

const [anyProvider] = PROVIDERS;
if (anyProvider === undefined) throw new Error("there is no provider");

describe("on any provider", () => {
  const fault: { of: Partial<Record<keyof Store, StoreError>> } = { of: {} };
  const wrapStore = (store: Store): Store =>
    new Proxy(store, {
      get(target, name: keyof Store) {
        const error = fault.of[name];
        return error === undefined ? target[name] : () => Promise.reject(error);
      },
    });
  let isOverloaded = false;
  withGateway(anyProvider, (given) => refusals(given), { wrapStore, isOverloaded: () => isOverloaded });

  function refusals(given: Given): void {
    const { model } = given;
    const create = (client: OpenAI = given.client) => client.responses.create({ model, input: "x" });

    async function connectTo(more: Parameters<typeof given.service.newOrganization>[0]) {
      const { organizationId } = await given.service.newOrganization(more);
      const { secret } = await given.service.newKey(organizationId);
      return { organizationId, client: connect(given.service, { apiKey: secret }) };
    }

    test("a bad key is an AuthenticationError", async () => {
      const expected = {
        class: AuthenticationError,
        status: 401,
        code: "invalid_api_key",
        type: "invalid_request_error",
      };
      await assertRefused(create(given.connect({ apiKey: "sk_nonsense" })), expected);
      await assertRefused(given.connect({ apiKey: "sk_nonsense" }).models.list(), expected);
    });

    test("a key without the permission is a PermissionDeniedError", async () => {
      const { secret } = await given.service.newKey(given.service.organizationId, "read");
      const expected = { class: PermissionDeniedError, status: 403, code: "access_denied", type: "permission_error" };
      await assertRefused(create(given.connect({ apiKey: secret })), expected);
    });

    test("no payment method is a 402", async () => {
      const { client } = await connectTo({ paymentMethod: false });
      const expected = { status: 402, code: "payment_method_required", type: "invalid_request_error" };
      await assertRefused(create(client), { class: APIError, ...expected });
    });

    test("no plan and no credits are the quota's RateLimitError, not retried", async () => {
      for (const more of [{ plan: false }, { credits: 0n }]) {
        const { client } = await connectTo(more);
        const error = await assertRefused(create(client), {
          class: RateLimitError,
          status: 429,
          code: "insufficient_quota",
          type: "insufficient_quota",
        });
        assert.equal(error.headers?.get("x-should-retry"), "false");
        assert.equal(error.headers?.get("retry-after"), null);
      }
    });

    test("a rate limit is a RateLimitError that says when to come again", async () => {
      const { client, organizationId } = await connectTo({});
      const limits = { ...NO_LIMITS, createPerMinute: 1 };
      await given.service.store.updateOrganization({ by: TESTS, organizationId, limits });
      await create(client);
      const error = await assertRefused(create(client), {
        class: RateLimitError,
        status: 429,
        code: "rate_limit_exceeded",
        type: "rate_limit_error",
      });
      assert.equal(error.headers?.get("retry-after"), "60");
      assert.equal(error.headers?.get("x-ratelimit-remaining-requests"), "0");
    });

    test("too many open streams are a RateLimitError", async () => {
      const { client, organizationId } = await connectTo({});
      await given.service.store.updateOrganization({
        by: TESTS,
        organizationId,
        limits: { ...NO_LIMITS, openStreams: 1 },
      });
      const open = await client.responses.create({ model, input: "/say x\n/hang", stream: true });
      const expected = { class: RateLimitError, status: 429, code: "stream_limit_exceeded", type: "rate_limit_error" };
      await assertRefused(client.responses.create({ model, input: "x", stream: true }), expected);
      for await (const event of open) {
        if (event.type === "response.output_text.delta") break;
        if (event.type === "response.created") await client.responses.cancel(event.response.id);
      }
    });

    test("a key used for another request is a ConflictError, not retried", async () => {
      const options = { idempotencyKey: "used twice" };
      await given.client.responses.create({ model, input: "one" }, options);
      const error = await assertRefused(given.client.responses.create({ model, input: "two" }, options), {
        class: ConflictError,
        status: 409,
        code: "idempotency_conflict",
        type: "invalid_request_error",
      });
      assert.equal(error.headers?.get("x-should-retry"), "false");
    });

    test("an overloaded service is an InternalServerError of status 503", async () => {
      isOverloaded = true;
      try {
        const error = await assertRefused(create(), {
          class: InternalServerError,
          status: 503,
          code: "gateway_overloaded",
          type: "overloaded_error",
        });
        assert.equal(error.headers?.get("retry-after"), "1");
      } finally {
        isOverloaded = false;
      }
    });

    const storeFaults: [string, keyof Store, StoreError["kind"], Omit<Expected, "class">][] = [
      [
        "no key can be checked",
        "findKey",
        "unavailable",
        { status: 503, code: "auth_unavailable", type: "overloaded_error" },
      ],
      [
        "no turn can be begun",
        "beginTurn",
        "unavailable",
        { status: 503, code: "database_unavailable", type: "overloaded_error" },
      ],
      ["the store is damaged", "beginTurn", "failed", { status: 500, code: "database_error", type: "api_error" }],
    ];
    for (const [what, operation, kind, expected] of storeFaults) {
      test(`${what}: ${expected.code}`, async () => {
        fault.of = { [operation]: new StoreError(kind, "a fault of the test") };
        try {
          const error = await assertRefused(create(), { class: InternalServerError, ...expected });
          assert.equal(error.headers?.get("retry-after"), expected.status === 503 ? "1" : null);
        } finally {
          fault.of = {};
        }
      });
    }

    test("no service is an APIConnectionError", async () => {
      const nowhere = given.connect({ baseURL: "http://127.0.0.1:9/v1" });
      await assert.rejects(create(nowhere), APIConnectionError);
    });
  }
});
