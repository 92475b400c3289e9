// The shape of turngate.yaml. Each description begins with what is allowed: error messages end with it, and editors show it.
// Published as turngate.schema.json (`turngate schema --write turngate.schema.json`).
import Type, { type Static } from "typebox";
import { DEFAULT_CONNECTIONS } from "../contract/connections.ts";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { RETENTION_DAYS_MAX } from "../contract/manage/limits.ts";
import { USD_PER_CREDIT } from "../core/models/catalog.ts";
import {
  DEFAULT_MANAGE_PORT,
  DEFAULT_PORT,
  MANAGE_URL_ALLOWED,
  MANAGE_URL_PATTERN,
  PUBLIC_URL_ALLOWED,
  PUBLIC_URL_PATTERN,
} from "./environment.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { modelEntrySchema } from "./model-schema.ts";
import { CONTENT_EXPORT_DEFAULTS, ContentExportSection } from "./content-export-schema.ts";
import { SINGLE_SIGN_ON_DEFAULTS, SingleSignOnSection } from "./single-sign-on-schema.ts";
import {
  closed,
  count,
  flag,
  headers,
  integer,
  number,
  port,
  seconds,
  section,
  text,
  withDefaults,
} from "../../packages/kit/schema-fields.ts";

const Server = section("where the service listens", {
  host: text("an address to listen on, such as 127.0.0.1 or 0.0.0.0; overridden by HOST"),
  port: port("PORT"),
  manage_host: text("an address for the management interface, 127.0.0.1 by default; overridden by MANAGE_HOST"),
  manage_port: port("MANAGE_PORT"),
  manage_url: Type.Optional(
    Type.String({
      pattern: MANAGE_URL_PATTERN,
      description: `${MANAGE_URL_ALLOWED}, at which people reach the management interface; overridden by MANAGE_URL`,
    }),
  ),
  public_url: Type.Optional(
    Type.String({
      pattern: PUBLIC_URL_PATTERN,
      description: `${PUBLIC_URL_ALLOWED}, which clients use; overridden by PUBLIC_URL`,
    }),
  ),
  trusted_proxies: Type.Optional(
    Type.Array(Type.String({ minLength: 1, description: "an address, or a range in CIDR notation" }), {
      uniqueItems: true,
      maxItems: 1000,
      description:
        "a list of addresses and ranges in CIDR notation, such as 10.0.0.0/8: reverse proxies whose X-Forwarded-For says which client a request to the management interface comes from; none by default",
    }),
  ),
});

const timeout = (description: string) => number("a number of seconds", { minimum: 0.1, maximum: 3600 }, description);
const connections = (description: string) =>
  Type.Optional(integer("a whole number", { minimum: 1, maximum: 1000 }, description));

const Postgres = section("connections of a node to PostgreSQL", {
  connections: connections("connections for requests"),
  long_read_connections: connections("further connections, for long reads: pages, usage, books"),
  connect_timeout_seconds: timeout("to connect, or to wait for a free connection"),
  statement_timeout_seconds: timeout("for a statement of a request"),
  long_read_timeout_seconds: timeout("for a statement of a long read"),
  lock_timeout_seconds: timeout("to wait for another transaction"),
});

const StoreSection = section("where all data is stored", {
  postgres: Type.Optional(Postgres),
  database_url: text("sqlite:PATH, relative to the working directory, or postgres://…; overridden by DATABASE_URL"),
});

const oneOfTypes = (types: string[]) => Type.Enum(types, { description: `one of ${types.join(", ")}` });

/** The hosts of the families, with the keys of all of them; hosts.ts checks which keys a type has. */
const host = (families: readonly ProviderFamily[]) =>
  section("the service that hosts the models in place of their maker", {
    type: oneOfTypes([...new Set(families.flatMap(({ hosts = {} }) => Object.keys(hosts)))].sort()),
    project: text("a string, for vertex, which needs it: the id of a project of Google Cloud"),
    region: text(
      "a region of AWS such as eu-central-1, for bedrock; global, us, eu or a region such as europe-west1, for vertex; both need it",
    ),
    identity: text(
      "the identity instead of a key; for azure workload, managed or default; for bedrock environment, profile, web_identity, container, instance or default; for vertex default",
    ),
    credentials_file: text("a path, for vertex: a JSON file of Google's credentials"),
    profile: text("a string, for bedrock with identity profile: its name; AWS_PROFILE by default"),
    role_arn: text("the ARN of a role, for bedrock: the identity assumes it"),
    tenant_id: text("a string, for azure: the tenant of an identity of Entra"),
    client_id: text("a string, for azure: the application or the user-assigned identity"),
    client_secret: text("a string, for azure: the secret of the application; ${NAME} inserts an environment variable"),
    scope: text(
      "a string, for azure: what tokens are for, https://ai.azure.com/.default by default; other clouds have their own",
    ),
  });

const providerEntry = (families: readonly ProviderFamily[]) =>
  section("a provider", {
    type: oneOfTypes(families.map(({ type }) => type)),
    host: Type.Optional(host(families)),
    base_url: Type.Optional(
      Type.String({ pattern: "^https?://[^\\s]+$", description: "an address that starts with http:// or https://" }),
    ),
    api_key: text("a string, the provider's key; ${NAME} inserts an environment variable"),
    api_keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: "a string, one of the provider's keys" }), {
        minItems: 1,
        uniqueItems: true,
        description: "a list of different keys instead of api_key; each round of a turn takes the next one",
      }),
    ),
    headers: headers("the provider"),
    discover: flag("whether the models that the server lists (GET /models) are served; default: false"),
    timeout_seconds: seconds(
      "how long the provider may be silent, before and within its reply; default: as long as the turn may run",
    ),
  });

const Outgoing = section("the connections to providers", {
  ca_file: text(
    "the path of a PEM file, relative to the working directory: certificate authorities trusted in addition to the usual ones",
  ),
});

const Limits = Type.Object(
  {
    non_streaming_wait_seconds: seconds("then a request that does not stream gets the response as it is"),
    stream_ceiling_seconds: seconds("after this time a stream closes with its terminal event"),
    stream_keep_alive_seconds: seconds("a comment frame is sent on a stream that is silent for this long"),
    idempotency_retention_hours: number(
      "a number of hours",
      { exclusiveMinimum: 0, maximum: 8784 },
      "how long an Idempotency-Key is kept",
    ),
    erasure_after_days: number(
      "a number of days",
      { minimum: 0, maximum: 36_525 },
      "deleted content is erased after this time",
    ),
    retention_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX }), Type.Null()], {
        description: `a whole number of days from 1 to ${RETENTION_DAYS_MAX}, or null for ever: the longest that a history is kept after its last use`,
      }),
    ),
    event_retention_days: number(
      "a number of days",
      { minimum: 1, maximum: 36_525 },
      "how long events of the management feed are kept",
    ),
    concurrent_turns: count(1, "turns that run at once"),
    queued_turns: count(0, "turns that may wait to run"),
    open_streams_per_organization: count(0, "streams an organization may hold open, unless it has a limit of its own"),
    requests_per_minute: Type.Optional(
      section("allowances of an organization without allowances of its own", {
        create: count(1, "create requests a minute"),
        retrieve: count(1, "retrieve requests a minute"),
        delete: count(1, "delete and cancel requests a minute"),
      }),
    ),
    body_bytes: count(1024, "the largest request body, in bytes"),
    bodies_in_hand_bytes: count(
      65_536,
      "total bytes of all request bodies above 64 KiB in memory, running turns included; never less than body_bytes",
    ),
    outputs_in_hand_bytes: count(
      1024 * 1024,
      "total bytes of the outputs that running turns hold; beyond it, providers are read one at a time",
    ),
    replies_in_hand_bytes: count(
      1024 * 1024,
      "total bytes of the replies above 256 KiB that are read from the store or sent; beyond it, such requests are rejected",
    ),
    turn_seconds: seconds("the longest run of one turn"),
    drain_notice_seconds: count(0, "how long a stopping service takes new work while /readyz is 503, in seconds"),
    drain_seconds: seconds("how long a stopping service lets its turns finish"),
  },
  { ...closed, description: "limits by their names" },
);

const TurnLog = section("the log of turns", {
  metadata_key: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_.:-]{1,64}$",
      description:
        "a key of 1 to 64 letters, digits, _, ., : and -: its value in the metadata of a request is kept in the log of turns, by which people filter turns and group usage; default: none",
    }),
  ),
});

const Metrics = section("the metrics for Prometheus", {
  by_organization: flag("whether turns, tokens, credits and error responses are counted by organization too"),
});

const Credits = section("the value of a credit", {
  usd_per_credit: number("a number", { exclusiveMinimum: 0, maximum: 1_000_000 }, "the value of a credit in USD"),
});

const DEFAULTS = {
  server: { port: DEFAULT_PORT, manage_port: DEFAULT_MANAGE_PORT },
  store: { postgres: DEFAULT_CONNECTIONS },
  catalog: "built-in",
  single_sign_on: SINGLE_SIGN_ON_DEFAULTS,
  content_export: CONTENT_EXPORT_DEFAULTS,
  limits: DEFAULT_LIMITS,
  metrics: { by_organization: false },
  credits: { usd_per_credit: USD_PER_CREDIT },
} as const;

/** The whole file; every section is optional. A provider's type is one of the families. */
export const configFileSchema = (families: readonly ProviderFamily[]) =>
  withDefaults(
    DEFAULTS,
    Type.Object(
      {
        server: Type.Optional(Server),
        store: Type.Optional(StoreSection),
        providers: Type.Optional(
          Type.Record(Type.String({ pattern: "^[a-z0-9][a-z0-9_-]*$" }), providerEntry(families), {
            ...closed,
            description: "providers by name; a name consists of lower-case letters, digits, - and _",
          }),
        ),
        catalog: Type.Optional(
          Type.Enum(["built-in", "none"], {
            description: "built-in or none (only the models listed here)",
          }),
        ),
        models: Type.Optional(
          Type.Array(modelEntrySchema(families), {
            description:
              "a list of models; an entry with the id of a built-in model changes what it names of that model",
          }),
        ),
        aliases: Type.Optional(
          Type.Record(
            Type.String({ pattern: "^\\S{1,128}$" }),
            Type.String({ minLength: 1, description: "a model, by its id or bare form, or another alias" }),
            { ...closed, description: "further names of models; a name has up to 128 characters and no space" },
          ),
        ),
        single_sign_on: Type.Optional(SingleSignOnSection),
        outgoing: Type.Optional(Outgoing),
        content_export: Type.Optional(ContentExportSection),
        limits: Type.Optional(Limits),
        turn_log: Type.Optional(TurnLog),
        metrics: Type.Optional(Metrics),
        credits: Type.Optional(Credits),
      },
      { ...closed, description: "the configuration of Turngate" },
    ),
  );

export type ConfigFile = Static<ReturnType<typeof configFileSchema>>;
