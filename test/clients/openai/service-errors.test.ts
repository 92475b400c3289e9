// Errors of the service itself, with any provider: authentication, funds, unavailability.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import OpenAI, {
  APIConnectionError,
  APIError,
  AuthenticationError,
  ConflictError,
  InternalServerError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { StoreError } from "../../../src/ports/store/store.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import { PROVIDERS } from "../providers.ts";
import { connect, type Given, withGateway } from "./gateway.ts";
import { TESTS } from "../../support/actor.ts";
import { assertApiError } from "./assert-client-error.ts";

type ErrorClass = new (...given: never[]) => APIError;

interface Expected {
  readonly class: ErrorClass;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string;
}

const NO_LIMITS = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  openStreams: null,
  concurrentResponses: null,
};

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
  withGateway(anyProvider, (given) => rejections(given), { wrapStore, isOverloaded: () => isOverloaded });

  function rejections(given: Given): void {
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
      await assertApiError(create(given.connect({ apiKey: "sk_nonsense" })), expected);
      await assertApiError(given.connect({ apiKey: "sk_nonsense" }).models.list(), expected);
    });

    test("a key without the permission is a PermissionDeniedError", async () => {
      const { secret } = await given.service.newKey(given.service.organizationId, "read");
      const expected = { class: PermissionDeniedError, status: 403, code: "access_denied", type: "permission_error" };
      await assertApiError(create(given.connect({ apiKey: secret })), expected);
    });

    test("no payment method is a 402", async () => {
      const { client } = await connectTo({ paymentMethod: false });
      const expected = { status: 402, code: "payment_method_required", type: "invalid_request_error" };
      await assertApiError(create(client), { class: APIError, ...expected });
    });

    test("no plan and no credits are the quota's RateLimitError, not retried", async () => {
      for (const more of [{ plan: false }, { credits: 0n }]) {
        const { client } = await connectTo(more);
        const error = await assertApiError(create(client), {
          class: RateLimitError,
          status: 429,
          code: "insufficient_quota",
          type: "insufficient_quota",
        });
        assert.equal(error.headers?.get("x-should-retry"), "false");
        assert.equal(error.headers?.get("retry-after"), null);
      }
    });

    test("a rate limit is a RateLimitError with Retry-After", async () => {
      const { client, organizationId } = await connectTo({});
      const limits = { ...NO_LIMITS, createPerMinute: 1 };
      await given.service.store.updateOrganization({ by: TESTS, organizationId, limits });
      await create(client);
      const error = await assertApiError(create(client), {
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
      await assertApiError(client.responses.create({ model, input: "x", stream: true }), expected);
      for await (const event of open) {
        if (event.type === "response.output_text.delta") break;
        if (event.type === "response.created") await client.responses.cancel(event.response.id);
      }
    });

    test("a key used for another request is a ConflictError, not retried", async () => {
      const options = { idempotencyKey: "used twice" };
      await given.client.responses.create({ model, input: "one" }, options);
      const error = await assertApiError(given.client.responses.create({ model, input: "two" }, options), {
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
        const error = await assertApiError(create(), {
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
        "beginResponse",
        "unavailable",
        { status: 503, code: "database_unavailable", type: "overloaded_error" },
      ],
      ["the store is damaged", "beginResponse", "failed", { status: 500, code: "database_error", type: "api_error" }],
    ];
    for (const [what, operation, kind, expected] of storeFaults) {
      test(`${what}: ${expected.code}`, async () => {
        fault.of = { [operation]: new StoreError(kind, "a fault of the test") };
        try {
          const error = await assertApiError(create(), { class: InternalServerError, ...expected });
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
