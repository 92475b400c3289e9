import { DEFAULT_MANAGE_PORT, DEFAULT_PORT } from "../config/environment.ts";
import { FAMILIES } from "../providers/families.ts";

const FAMILY_VARIABLES = FAMILIES.flatMap(({ environment }) => (environment === null ? [] : [environment]));

/** Printed below the help of `turngate` and `turngate serve`: environment, ports and files. docs/configuration.md has the details. */
export const SURROUNDINGS = `
Environment:
  HOST, PORT                     where /v1 listens (127.0.0.1, ${DEFAULT_PORT}; 0: any free port)
  MANAGE_HOST, MANAGE_PORT       where the management interface listens (127.0.0.1, ${DEFAULT_MANAGE_PORT})
  MANAGE_URL                     the origin at which people reach it (where it listens)
  PUBLIC_URL                     the address of /v1 for clients, as people see it (where it listens)
  DATABASE_URL                   the store: sqlite:PATH or postgres://… (sqlite:./data/turngate.db)
  TURNGATE_CONFIG                the configuration file (./turngate.yaml if it exists)
  TURNGATE_SECRET                the root secret, 32 characters or more (kept in ./data/secret)
  TURNGATE_FORMER_SECRET         the root secret before it, while it is being rotated
  TURNGATE_BOOTSTRAP_API_KEY     the first API key, for a first start
  ${FAMILY_VARIABLES.map(({ apiKey }) => apiKey).join(", ")}
                                 turn on the providers and their models
  ${FAMILY_VARIABLES.map(({ baseUrl }) => baseUrl).join(", ")}
                                 other addresses for the providers
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                                 proxies for requests to providers
  NAME_FILE                      a file with the value, for each of these that may be a secret
  LOG_LEVEL                      debug, info, warn, error or silent (info)

Ports:
  ${DEFAULT_PORT}   /v1, /docs, /openapi.json, /healthz, /readyz
  ${DEFAULT_MANAGE_PORT}   /manage/api, /docs, /openapi.json, /metrics, /healthz, /readyz; keep it internal

Files:
  ./turngate.yaml        providers, models, limits (docs/configuration.md); \`config check\` checks it
  ./data/turngate.db     the store; its journal and lock are beside it
  ./data/secret          the root secret; without it no API key works
`;
