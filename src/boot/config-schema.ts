// The shape of turngate.yaml. Every description says what is allowed first: error messages end with it, and editors show it.
// Published as turngate.schema.json (`turngate schema --write turngate.schema.json`).
import Type, { type Static } from "typebox";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { MODEL_GROUPS, type ModelGroup, REASONING_EFFORTS, SETTINGS } from "../contract/settings.ts";
import { MODEL_ID_PATTERN, USD_PER_CREDIT } from "../core/catalog.ts";
import { DEFAULT_MANAGE_PORT, DEFAULT_PORT, MANAGE_URL_ALLOWED, MANAGE_URL_PATTERN } from "./environment.ts";
import { MODEL_DEFAULTS } from "./model-defaults.ts";
import { PROVIDER_TYPES } from "./provider-config.ts";

const closed = { additionalProperties: false } as const;

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

const seconds = (description: string, byDefault: number) =>
  Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 604_800,
      default: byDefault,
      description: `a number of seconds above 0, at most 604800: ${description}`,
    }),
  );

const count = (minimum: number, description: string, byDefault: number) =>
  Type.Optional(
    Type.Integer({
      minimum,
      maximum: 1_000_000_000,
      default: byDefault,
      description: `a whole number, ${minimum} or more, at most 1000000000: ${description}`,
    }),
  );

const Server = Type.Object(
  {
    host: text("an address to listen on, such as 127.0.0.1 or 0.0.0.0; HOST goes before it"),
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        default: DEFAULT_PORT,
        description: "a whole number from 0 (any free port) to 65535; PORT goes before it",
      }),
    ),
    manage_host: text("an address for the management interface, 127.0.0.1 by default; MANAGE_HOST goes before it"),
    manage_port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        default: DEFAULT_MANAGE_PORT,
        description: "a whole number from 0 (any free port) to 65535; MANAGE_PORT goes before it",
      }),
    ),
    manage_url: Type.Optional(
      Type.String({
        pattern: MANAGE_URL_PATTERN,
        description: `${MANAGE_URL_ALLOWED}, by which people reach the management interface; MANAGE_URL goes before it`,
      }),
    ),
  },
  { ...closed, description: "where the service listens: keys host, port, manage_host, manage_port, manage_url" },
);

const StoreSection = Type.Object(
  { database_url: text("sqlite:PATH, the path from where the service is started; DATABASE_URL goes before it") },
  { ...closed, description: "where everything is kept: key database_url" },
);

const Provider = Type.Object(
  {
    type: Type.Enum([...PROVIDER_TYPES], { description: `one of ${PROVIDER_TYPES.join(", ")}` }),
    base_url: Type.Optional(
      Type.String({ pattern: "^https?://[^\\s]+$", description: "an address that starts with http:// or https://" }),
    ),
    api_key: text("a text, the provider's key; ${NAME} takes it from the environment"),
  },
  { ...closed, description: "a provider: keys type, base_url, api_key" },
);

const price = (description: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: `USD per million tokens, 0 or more, at most 1000000: ${description}`,
    }),
  );

const priceKeys = {
  input: price("input tokens that came from no cache; 0 when not given"),
  cached_input: price("input tokens read from the provider's cache; as input when not given"),
  cache_write: price("input tokens written to the provider's cache; as input when not given"),
  output: price("output tokens; 0 when not given"),
};

const PriceTier = Type.Object(
  {
    above_input_tokens: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "a whole number of tokens, 0 or more, at most 1000000000: the tier holds for requests whose input is longer",
    }),
    ...priceKeys,
  },
  {
    ...closed,
    description: "prices of long inputs: keys above_input_tokens, input, cached_input, cache_write, output",
  },
);

const Prices = Type.Object(
  {
    ...priceKeys,
    tiers: Type.Optional(
      Type.Array(PriceTier, {
        description: "a list of prices for longer inputs; they hold for all tokens of such a request",
      }),
    ),
  },
  { ...closed, description: "prices in USD per million tokens: keys input, cached_input, cache_write, output, tiers" },
);

const groupNames = Object.keys(MODEL_GROUPS) as ModelGroup[];

const Model = Type.Object(
  {
    id: Type.String({ pattern: MODEL_ID_PATTERN, description: "a text of the form <provider>/<model>" }),
    provider: text("the name of a configured provider; the part of the id before the slash when not given"),
    upstream_model: text("the provider's own name for the model; the part of the id behind the slash when not given"),
    group: Type.Optional(
      Type.Union([Type.Enum(groupNames), Type.Array(Type.Enum([...SETTINGS]), { uniqueItems: true })], {
        description: `${groupNames.join(", ")}, or a list of accepted settings out of ${SETTINGS.join(", ")}; when not given, the group that fits the provider's type`,
      }),
    ),
    context_window: count(2_500, "tokens that fit into the model", MODEL_DEFAULTS.contextWindow),
    max_output_tokens: count(16, "the most tokens the model puts out", MODEL_DEFAULTS.maxOutputTokens),
    default_output_tokens: count(
      16,
      "output tokens asked for and kept free when no turn set max_output_tokens",
      MODEL_DEFAULTS.defaultOutputTokens,
    ),
    thinking: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Enum([...REASONING_EFFORTS])], {
        default: "none",
        description: `none, a token budget (a whole number, 1 or more), or an effort (${REASONING_EFFORTS.slice(1).join(", ")})`,
      }),
    ),
    forced_tool_choice: Type.Optional(
      Type.Boolean({
        default: true,
        description: "true or false: whether the provider accepts a tool_choice that forces a call",
      }),
    ),
    end_user_field: Type.Optional(
      Type.Boolean({
        description:
          "true or false: whether the provider is told of the end user, by a keyed hash; when not given, what its type has (openai-compatible: false, since not every server takes `user`)",
      }),
    ),
    prices: Type.Optional(Prices),
    owned_by: text("a text; the part of the id before the slash when not given"),
    created: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: "a whole number of Unix seconds, 0 or more" }),
    ),
  },
  { ...closed, description: "a model" },
);

const Limits = Type.Object(
  {
    non_streaming_wait_seconds: seconds(
      "after it a request that does not stream is answered with the response as it is",
      DEFAULT_LIMITS.non_streaming_wait_seconds,
    ),
    stream_ceiling_seconds: seconds(
      "after it a stream closes with its terminal event",
      DEFAULT_LIMITS.stream_ceiling_seconds,
    ),
    stream_keep_alive_seconds: seconds(
      "a comment frame is sent on a stream quiet for so long",
      DEFAULT_LIMITS.stream_keep_alive_seconds,
    ),
    idempotency_retention_hours: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 8784,
        default: DEFAULT_LIMITS.idempotency_retention_hours,
        description: "a number of hours above 0, at most 8784: how long an Idempotency-Key is kept",
      }),
    ),
    erasure_after_days: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 36_525,
        default: DEFAULT_LIMITS.erasure_after_days,
        description: "a number of days, 0 or more, at most 36525: deleted content is erased after them",
      }),
    ),
    concurrent_turns: count(1, "turns that run at once", DEFAULT_LIMITS.concurrent_turns),
    queued_turns: count(0, "turns that may wait to run", DEFAULT_LIMITS.queued_turns),
    open_streams_per_organization: count(
      0,
      "streams an organization may hold open; its own limit goes before it",
      DEFAULT_LIMITS.open_streams_per_organization,
    ),
    requests_per_minute: Type.Optional(
      Type.Object(
        {
          create: count(1, "requests a minute that create", DEFAULT_LIMITS.requests_per_minute.create),
          retrieve: count(1, "requests a minute that retrieve", DEFAULT_LIMITS.requests_per_minute.retrieve),
          delete: count(1, "requests a minute that delete or cancel", DEFAULT_LIMITS.requests_per_minute.delete),
        },
        {
          ...closed,
          description: "allowances of an organization that has none of its own: keys create, retrieve, delete",
        },
      ),
    ),
    body_bytes: count(1024, "the largest request body, bytes", DEFAULT_LIMITS.body_bytes),
    turn_seconds: seconds("the longest run of one turn", DEFAULT_LIMITS.turn_seconds),
    drain_seconds: seconds("how long a stopping service lets its turns finish", DEFAULT_LIMITS.drain_seconds),
  },
  { ...closed, description: "limits by their names" },
);

const Credits = Type.Object(
  {
    usd_per_credit: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        default: USD_PER_CREDIT,
        description: "a number above 0, at most 1000000: what a credit is worth in USD",
      }),
    ),
  },
  { ...closed, description: "what a credit is: key usd_per_credit" },
);

/** The whole file; every key may be left out. */
export const ConfigFileSchema = Type.Object(
  {
    server: Type.Optional(Server),
    store: Type.Optional(StoreSection),
    providers: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z0-9][a-z0-9_-]*$" }), Provider, {
        ...closed,
        description: "providers by name; a name is made of small letters, digits, - and _",
      }),
    ),
    catalog: Type.Optional(
      Type.Enum(["built-in", "none"], {
        default: "built-in",
        description: "built-in or none (only the models listed here)",
      }),
    ),
    models: Type.Optional(
      Type.Array(Model, { description: "a list of models; one with the id of a built-in model replaces it" }),
    ),
    limits: Type.Optional(Limits),
    credits: Type.Optional(Credits),
  },
  { ...closed, description: "the configuration of Turngate" },
);

export type ConfigFile = Static<typeof ConfigFileSchema>;
export type ModelEntry = Static<typeof Model>;
