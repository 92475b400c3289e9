// One or more ways to get each code of the catalogue, on a service prepared for all of them.
import { ERROR_CATALOGUE } from "../../src/contract/errors.ts";
import { type Store, StoreError } from "../../src/ports/store/store.ts";
import type { Reply } from "../support/http-client.ts";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { calls, fails, says } from "../support/scripted-provider.ts";
import { serviceForFile } from "../support/service.ts";
import { runSql } from "../support/tables.ts";
import { TESTS } from "../support/actor.ts";

let fault: { name: string; error: Error } | null = null;

let isOverloaded = false;

export const service = await serviceForFile({
  models: PRICED_MODELS,
  isOverloaded: () => isOverloaded,
  limits: { concurrent_turns: 50 },
  wrapStore: (store: Store): Store =>
    new Proxy(store, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (fault === null || name !== fault.name) return value;
        const { error } = fault;
        return () => Promise.reject(error);
      },
    }),
});

const TOOLS = [{ type: "function", name: "look_up" }];

const ORGANIZATION_LIMITS = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  openStreams: null,
  concurrentResponses: null,
};

const conversation = (await service.request("POST", "/v1/conversations", { body: { metadata: { a: "1" } } })).json.id;

const other = (await service.request("POST", "/v1/conversations")).json.id;

service.provider.plays(says("Hello"), calls({ callId: "a" }, { callId: "b" }));

const settled = (await service.create({ conversation, input: "Hi" })).json.id;

const waiting = (await service.create({ input: "Hi", tools: TOOLS })).json.id;

const used = { "idempotency-key": "used" };

await service.create({ input: "Hi" }, { headers: used });

const path = `/v1/conversations/${conversation}`;

const [item, unreadable] = (
  await service.request("POST", `${path}/items`, {
    body: { items: [1, 2].map((n) => ({ role: "user", content: `${n}` })) },
  })
).json.data.map(({ id }: { id: string }) => id);

await runSql(service, "update items set body = '' where public_id = :id", { id: unreadable });

const turnItem = (await service.request("GET", `${path}/items`)).json.data[0].id;

const { secret: foreign } = await service.newKey();

const { secret: reading } = await service.newKey(service.organizationId, "read");

async function organization(more: Parameters<typeof service.newOrganization>[0], limits = {}): Promise<string> {
  const { organizationId } = await service.newOrganization(more);
  await service.store.updateOrganization({ by: TESTS, organizationId, limits: { ...ORGANIZATION_LIMITS, ...limits } });
  return (await service.newKey(organizationId)).secret;
}

const unpaid = await organization({ paymentMethod: false });

const planless = await organization({ plan: false });

const penniless = await organization({ credits: 0n });

const limited = await organization({}, { createPerMinute: 0 });

const streamless = await organization({}, { openStreams: 0 });

const policed = await service.newOrganization();

const policedKey = (await service.newKey(policed.organizationId)).secret;

await service.store.updateOrganization({
  by: TESTS,
  organizationId: policed.organizationId,
  policy: { allowModels: [], denyModels: [], toolCallsPerTurn: null },
});

export const poor = await Purse.open(service, 1);

const bounded = await Purse.open(service, 1000);

await bounded.setBudget({ scope: "organization", id: null, period: "month" }, 1000);

await bounded.setBudget({ scope: "key", id: bounded.keyId, period: "total" }, 0);

export const ofPoor = (await service.request("POST", "/v1/conversations", { key: poor.key })).json.id;

export const headers = { "idempotency-key": "never consumed" };

export const create = (body: object, options = {}) => service.create({ input: "Hi", ...body }, { headers, ...options });

const post = (suffix: string, body: object | string) => service.request("POST", `${path}${suffix}`, { body, headers });

async function during<T>(name: string, error: Error, work: () => Promise<T>): Promise<T> {
  fault = { name, error };
  try {
    return await work();
  } finally {
    fault = null;
  }
}

const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "x" });

const away = new StoreError("unavailable", "away");

const broken = new StoreError("failed", "broken");

/** Each code of the catalogue, in one or more ways of getting it. */
export const ways: readonly (readonly [keyof typeof ERROR_CATALOGUE, string, () => Promise<Reply>])[] = [
  ["invalid_api_key", "no key", () => create({}, { key: null })],
  ["invalid_api_key", "an unknown key", () => create({}, { key: service.secrets.mintApiKey().secret })],
  ["access_denied", "a key that may only read", () => create({}, { key: reading })],
  ["access_denied", "deleting with it", () => service.request("DELETE", `/v1/responses/${settled}`, { key: reading })],
  ["payment_method_required", "no payment method", () => create({}, { key: unpaid })],
  ["insufficient_quota", "no plan", () => create({}, { key: planless })],
  ["insufficient_quota", "no credits", () => create({}, { key: penniless })],
  ["auth_unavailable", "the key cannot be looked up", () => during("findKey", away, () => create({}))],
  ["invalid_input", "no JSON", () => service.request("POST", "/v1/responses", { body: "{", headers })],
  ["invalid_input", "an empty input", () => create({ input: "" })],
  ["invalid_input", "a setting out of range", () => create({ conversation, temperature: 3 })],
  [
    "invalid_input",
    "an assistant message",
    () => create({ conversation, input: [{ role: "assistant", content: "" }] }),
  ],
  ["invalid_input", "a user turn while calls wait", () => create({ previous_response_id: waiting })],
  ["invalid_input", "half of the outputs", () => create({ previous_response_id: waiting, input: [output("a")] })],
  ["invalid_input", "an output nobody waits for", () => create({ conversation, input: [output("z")] })],
  [
    "invalid_input",
    "an Idempotency-Key too long",
    () => create({}, { headers: { "idempotency-key": "k".repeat(256) } }),
  ],
  ["invalid_input", "labels outside the limits", () => post("", { metadata: { k: 1 } })],
  ["invalid_input", "no labels", () => post("", {})],
  [
    "invalid_input",
    "a bad item behind good ones",
    () => post("/items", { items: [{ role: "user", content: "a" }, {}] }),
  ],
  [
    "invalid_input",
    "21 items",
    () => post("/items", { items: Array.from({ length: 21 }, () => ({ role: "user", content: "a" })) }),
  ],
  [
    "invalid_input",
    "creating a conversation of bad items",
    () => service.request("POST", "/v1/conversations", { body: { items: [5] }, headers }),
  ],
  ["invalid_input", "deleting an item of a response", () => service.request("DELETE", `${path}/items/${turnItem}`)],
  ["invalid_input", "a page of 501", () => service.request("GET", `${path}/items?limit=501`)],
  ["context_length_exceeded", "too long", () => create({ conversation, input: "x".repeat(500_000) })],
  ["context_length_exceeded", "too long, streaming", () => create({ input: "x".repeat(500_000), stream: true })],
  ["model_policy_violation", "a model not allowed", () => create({}, { key: policedKey })],
  ["resource_not_found", "another key's conversation", () => create({ conversation }, { key: foreign })],
  ["resource_not_found", "another key's response", () => create({ previous_response_id: settled }, { key: foreign })],
  [
    "resource_not_found",
    "deleting another key's response",
    () => service.request("DELETE", `/v1/responses/${settled}`, { key: foreign }),
  ],
  [
    "resource_not_found",
    "cancelling another key's response",
    () => service.request("POST", `/v1/responses/${settled}/cancel`, { key: foreign }),
  ],
  [
    "resource_not_found",
    "deleting another key's conversation",
    () => service.request("DELETE", path, { key: foreign }),
  ],
  [
    "resource_not_found",
    "labelling another key's conversation",
    () => service.request("POST", path, { body: { metadata: {} }, key: foreign, headers }),
  ],
  [
    "resource_not_found",
    "adding to another key's conversation",
    () => service.request("POST", `${path}/items`, { body: { items: [] }, key: foreign, headers }),
  ],
  [
    "resource_not_found",
    "deleting an item through another conversation",
    () => service.request("DELETE", `/v1/conversations/${other}/items/${item}`),
  ],
  [
    "resource_not_found",
    "a path that is not served",
    () => service.request("POST", "/v1/chat/completions", { body: {}, headers }),
  ],
  ["idempotency_conflict", "another body", () => create({ input: "Ho" }, { headers: used })],
  ["idempotency_conflict", "another API key", () => create({}, { headers: used, key: foreign })],
  ["rate_limit_exceeded", "no allowance", () => create({}, { key: limited })],
  [
    "scope_budget_exceeded",
    "a key's budget, its organization's having enough",
    () => bounded.create({ input: "Hi" }, headers),
  ],
  ["scope_budget_exceeded", "streaming", () => bounded.create({ input: "Hi", stream: true }, headers)],
  ["insufficient_credits", "in a conversation", () => poor.create({ input: "Hi", conversation: ofPoor }, headers)],
  ["insufficient_credits", "streaming", () => poor.create({ input: "Hi", stream: true }, headers)],
  ["stream_limit_exceeded", "no open stream", () => create({ stream: true }, { key: streamless })],
  [
    "gateway_overloaded",
    "too much to do",
    async () => {
      isOverloaded = true;
      try {
        return await create({});
      } finally {
        isOverloaded = false;
      }
    },
  ],
  ["database_unavailable", "begin out of reach", () => during("beginResponse", away, () => create({ conversation }))],
  [
    "database_unavailable",
    "history out of reach",
    () => during("findContinuation", away, () => create({ conversation })),
  ],
  ["database_unavailable", "items out of reach", () => during("addItems", away, () => post("/items", { items: [] }))],
  ["database_error", "begin broken", () => during("beginResponse", broken, () => create({ stream: true }))],
  ["internal_server_error", "a bug", () => during("beginResponse", new TypeError("bug"), () => create({}))],
  ["item_unreadable", "an item that cannot be read", () => service.request("GET", `${path}/items/${unreadable}`)],
  ...(["provider_rate_limited", "provider_overloaded", "provider_unavailable"] as const).map(
    (code) =>
      [
        code,
        "of the provider, in the middle of its output",
        () => {
          service.provider.plays([[{ type: "text", text: "partial" }], fails(code)]);
          return create({ conversation });
        },
      ] as const,
  ),
  [
    "provider_overloaded",
    "answering tools",
    () => {
      service.provider.plays([fails("provider_overloaded")]);
      return create({ previous_response_id: waiting, input: [output("a"), output("b")] });
    },
  ],
  [
    "provider_overloaded",
    "on a branch",
    async () => {
      service.provider.plays([fails("provider_overloaded")]);
      return create({ previous_response_id: settled });
    },
  ],
];
