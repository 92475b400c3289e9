// The configuration in force, without its secrets.
import Type, { type Static } from "typebox";
import { oneOf, orNull } from "../shapes.ts";

const origin = (description: string) => Type.String({ description: `${description}: scheme, host and port` });

/** The 200 response of `GET /configuration`. Every field is chosen: what is not here is not shown. */
export const ShownConfiguration = Type.Object({
  file: orNull(Type.String({ description: "the configuration file that was read" })),
  server: Type.Object({
    host: Type.String(),
    port: Type.Integer(),
    manage_host: Type.String(),
    manage_port: Type.Integer(),
    manage_url: orNull(origin("where people reach it")),
    public_url: orNull(origin("of `/v1` for clients")),
    trusted_proxies: Type.Array(Type.String(), { description: "addresses whose X-Forwarded-For is believed" }),
    log_level: Type.String(),
  }),
  store: Type.Object({
    engine: oneOf(["sqlite", "postgres"]),
    path: orNull(Type.String({ description: "of the embedded store's file" })),
    address: orNull(origin("of PostgreSQL")),
    root_secret: oneOf(["set", "file"]),
  }),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      host: orNull(Type.String({ description: "the service that hosts the models; null: their maker" })),
      base_url: orNull(origin("null: the provider's own")),
      api_keys: Type.Integer({ description: "number of keys" }),
      headers: Type.Array(Type.String(), { description: "names of further headers" }),
      timeout_seconds: orNull(Type.Number({ description: "null: the default" })),
    }),
  ),
  models: Type.Object({
    configured: Type.Integer({ description: "models of the configuration file" }),
    built_in: Type.Boolean({ description: "whether the built-in models are on" }),
  }),
  proxies: Type.Object({ http: orNull(origin("for http://")), https: orNull(origin("for https://")) }),
  extra_certificates: Type.Integer({ description: "number of certificates" }),
  single_sign_on: orNull(
    Type.Object({
      issuer: origin("the provider"),
      client_secret: Type.Boolean({ description: "whether there is one" }),
      rules: Type.Integer({ description: "number of rules" }),
      only: Type.Boolean({ description: "whether passwords and most sign-in links are off" }),
    }),
  ),
  content_export: orNull(
    Type.Object({
      url: origin("of the collector"),
      headers: Type.Array(Type.String(), { description: "names of further headers" }),
      organizations: orNull(
        Type.Array(Type.String(), { description: "ids of those whose turns are exported; null: all" }),
      ),
      turn_bytes: Type.Integer({ description: "the most content of a turn" }),
      waiting_bytes: Type.Integer({ description: "the most that waits for the collector" }),
    }),
  ),
  limits: Type.Record(
    Type.String(),
    Type.Union([Type.Number(), Type.Record(Type.String(), Type.Number()), Type.Null()]),
  ),
  turn_log: Type.Object({
    metadata_key: orNull(Type.String({ description: "the metadata key whose values the log of turns keeps" })),
  }),
  metrics: Type.Object({
    by_organization: Type.Boolean({ description: "whether metrics are labelled by organization too" }),
  }),
  usd_per_credit: Type.Number(),
});
export type ShownConfiguration = Static<typeof ShownConfiguration>;
