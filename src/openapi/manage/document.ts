// The OpenAPI 3.1 document of the management interface, built from its route table, bodies and responses.
import { ERROR_CATALOGUE, type ErrorCode } from "../../contract/errors.ts";
import { errorEnvelope, errorResponses, REQUEST_ID } from "../error-responses.ts";
import { jsonContent, type JsonSchema, schemaRef, toPlain } from "../json.ts";
import { buildPaths, type OperationObject, pathParameters } from "../paths.ts";
import { shareResponses } from "../shared-responses.ts";
import type { ManageScope } from "../../contract/manage/roles.ts";
import { type BodyRule, bodyOf, isRequired, type NamedOperation, queryOf } from "../../manage/definition/operation.ts";
import { OPERATIONS } from "../../manage/operations.ts";

const TAGS = [...new Set(OPERATIONS.map(({ tag }) => tag))];

/** The content of `openapi-manage.json`; a test compares the two. */
export function buildManageOpenApi(): JsonSchema {
  const { paths, responses } = shareResponses(buildPaths(OPERATIONS, describeRoute));
  return {
    openapi: "3.1.0",
    info: {
      title: "Turngate: management",
      version: "1.0.0",
      description:
        "Organizations, members, keys, money and the audit log. Programs authenticate with a token, people with a session cookie. Unknown fields are rejected. Times are Unix seconds, credits decimal numbers, days UTC days.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/manage/api" }],
    security: [{ token: [] }, { session: [] }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token, `adm_…`." },
        key: { type: "http", scheme: "bearer", description: "An API key, `sk_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "turngate_session",
          description:
            "Set by signing in (`__Host-turngate_session` over https). A request that changes something also sends the session's `csrf_token` as `x-csrf-token`, unless the browser marks it as same-origin.",
        },
      },
      headers: HEADERS,
      responses,
      schemas: buildSchemas(),
    },
  };
}

function describeRoute(route: NamedOperation): OperationObject {
  const { name: operation, output, tag, summary, description } = route;
  const who = describeCaller(route);
  const body = bodyOf(route) ?? undefined;
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: description === undefined ? who : `${description}\n\n${who}`,
    ...securityOf(route),
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      "200": { description: summary, headers: REQUEST_ID, content: jsonContent(schemaRef(output.name)) },
      ...manageErrors(route, body !== undefined),
    },
  };
}

/** Whom an operation is for, in a sentence. */
function describeCaller({ scope, roles }: NamedOperation): string {
  if (scope === "public") return "Needs no sign-in.";
  if (scope === "key") return "For the holder of an API key with the permission `all` or `read`.";
  return `For ${roles.join(", ")}.`;
}

/** Nothing where the document's own requirement applies: a token or a session. */
function securityOf({ scope }: { readonly scope: ManageScope }): { security?: JsonSchema[] } {
  if (scope === "public") return { security: [] };
  return scope === "key" ? { security: [{ key: [] }] } : {};
}

function queryParameters(route: NamedOperation): JsonSchema[] {
  const parameters = queryOf(route);
  return Object.entries(parameters ?? {}).map(([name, shape]) => ({
    name,
    in: "query",
    ...(isRequired(shape) ? { required: true } : {}),
    schema: toPlain(shape),
  }));
}

function requestBody({ name, presence }: BodyRule): JsonSchema {
  return { required: presence === "required", content: jsonContent(schemaRef(name)) };
}

/** The meaning of each code in this interface. */
const MEANINGS = {
  invalid_input: "The request cannot be honored; param names the field.",
  invalid_api_key: "Not signed in: the token, session, e-mail address or password is missing or wrong.",
  access_denied: "The role does not allow this, or the request may come from another site.",
  resource_not_found: "It does not exist, or belongs to another organization.",
  rate_limit_exceeded:
    "Too many changes, sign-in attempts, requests of the organization's keys, long reads at once, or checks of the providers.",
  auth_unavailable: "The credentials could not be checked.",
  database_unavailable:
    "The database is unavailable. On PostgreSQL a change may have been made: check before repeating it.",
  internal_server_error: "A bug or a defect of the store: report the x-request-id.",
  database_error: "A bug or a defect of the store: report the x-request-id.",
} as const satisfies Partial<Record<ErrorCode, string>>;
type ManageErrorCode = keyof typeof MEANINGS;

function manageErrors(route: NamedOperation, hasBody: boolean): Record<string, JsonSchema> {
  const codes: ManageErrorCode[] = ["invalid_input", "invalid_api_key", "access_denied"];
  codes.push("auth_unavailable", "database_unavailable", "internal_server_error", "database_error");
  if (route.path.includes(":")) codes.push("resource_not_found");
  const isLimitedChange = route.scope === "organization" && route.method !== "GET" && route.roles.length > 1;
  const isLimited = ["public", "key"].includes(route.scope) || route.isLong || isLimitedChange;
  if (isLimited) codes.push("rate_limit_exceeded");
  codes.push(...route.errors);
  const bodyTooLarge = hasBody ? "The body is larger than 64 KiB." : null;
  return errorResponses(codes, { meanings: MEANINGS, headersOf: errorHeaders, bodyTooLarge });
}

function errorHeaders(codes: readonly ManageErrorCode[]): JsonSchema {
  const mayCarryRetryAfter = codes.some((code) => ERROR_CATALOGUE[code].retryAfter !== "never");
  return mayCarryRetryAfter
    ? { ...REQUEST_ID, "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
    : REQUEST_ID;
}

const HEADERS = {
  RequestId: {
    description: "Identifies this request; quote it when reporting a 500.",
    required: true,
    schema: { type: "string" },
  },
  RetryAfter: { description: "Whole seconds.", schema: { type: "integer", minimum: 1, maximum: 60 } },
};

function buildSchemas(): Record<string, JsonSchema> {
  const rules = OPERATIONS.flatMap((operation) => bodyOf(operation) ?? []);
  const bodies = rules.map(({ name, shape }) => [name, shape] as const);
  const replies = OPERATIONS.map(({ output: { name, shape } }) => [name, shape] as const);
  const shapes = [...bodies, ...replies];
  return {
    ...Object.fromEntries(shapes.map(([name, shape]) => [name, toPlain(shape)])),
    Error: errorEnvelope(
      "The envelope of every error, as under /v1. `code` is the field to switch on.",
      "The field that caused the error, or null.",
      Object.keys(MEANINGS),
    ),
  };
}
