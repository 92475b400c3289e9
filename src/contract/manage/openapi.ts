// The OpenAPI 3.1 description of the management interface, generated from its route table, bodies and answers.
import { ERROR_CATALOGUE, type ErrorCode } from "../errors.ts";
import { shareAnswers } from "../openapi-answers.ts";
import { describeCodes, errorAnswer, errorEnvelope, PARSER_STATUSES, REQUEST_ID } from "../openapi-envelope.ts";
import { jsonContent, type JsonSchema, schemaRef, toPlain } from "../openapi-json.ts";
import { buildPaths, type OperationObject, pathParameters } from "../openapi-paths.ts";
import { type BodyRule, MANAGE_BODIES, MANAGE_QUERIES } from "./bodies.ts";
import { OPERATION_WORDS } from "./operation-words.ts";
import { MANAGE_ANSWERS } from "./resources.ts";
import { MANAGE_ROUTES, type ManageOperation, type ManageRoute } from "./routes.ts";

const BODIES: Readonly<Partial<Record<ManageOperation, BodyRule>>> = MANAGE_BODIES;

/** The document; `openapi-manage.json` is its JSON, and a test compares the two. */
export function buildManageOpenApi(): JsonSchema {
  const { paths, responses } = shareAnswers(buildPaths(MANAGE_ROUTES, describeRoute));
  return {
    openapi: "3.1.0",
    info: {
      title: "Turngate: management",
      version: "1.0.0",
      description:
        "Organizations, members, keys, money and the audit log. Programs send a token, people a session's cookie. Unknown fields are refused. Times are Unix seconds, credits decimal numbers, days UTC days.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/manage/api" }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(Object.values(OPERATION_WORDS).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token, `adm_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "turngate_session",
          description:
            "Set by signing in (`__Host-turngate_session` on https). A request that changes something also sends the session's `csrf_token` as `x-csrf-token`, unless the browser says that it comes from the same origin.",
        },
      },
      headers: HEADERS,
      responses,
      schemas: buildSchemas(),
    },
  };
}

function describeRoute(route: (typeof MANAGE_ROUTES)[number]): OperationObject {
  const { operation } = route;
  const { tag, summary, description } = OPERATION_WORDS[operation];
  const who = route.scope === "public" ? "Nobody has to be signed in." : `For ${route.roles.join(", ")}.`;
  const body = BODIES[operation];
  const answer = MANAGE_ANSWERS[operation];
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: description === undefined ? who : `${description}\n\n${who}`,
    ...(route.scope === "public" ? { security: [] } : {}),
    parameters: [...pathParameters(route), ...queryParameters(operation)],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      "200": { description: summary, headers: REQUEST_ID, content: jsonContent(schemaRef(answer.name)) },
      ...errorAnswers(route, body !== undefined),
    },
  };
}

function queryParameters(operation: ManageOperation): JsonSchema[] {
  return Object.entries(MANAGE_QUERIES[operation] ?? {}).map(([name, shape]) => ({
    name,
    in: "query",
    schema: toPlain(shape),
  }));
}

function requestBody({ name, presence }: BodyRule): JsonSchema {
  return { required: presence === "required", content: jsonContent(schemaRef(name)) };
}

/** What each code means here. */
const MEANINGS = {
  invalid_input: "The request cannot be honored; param names the field.",
  invalid_api_key: "Nobody is signed in: the token, session, e-mail address or password is missing or not right.",
  access_denied: "The role may not do this, or another site may have made the browser send it.",
  resource_not_found: "It does not exist, or belongs to another organization.",
  rate_limit_exceeded: "Too many sign-ins were tried.",
  auth_unavailable: "The credentials could not be checked.",
  database_unavailable: "Nothing was changed.",
  internal_server_error: "Report the x-request-id.",
  database_error: "Report the x-request-id.",
} as const satisfies Partial<Record<ErrorCode, string>>;
type ManageErrorCode = keyof typeof MEANINGS;

function errorAnswers(route: ManageRoute, readsBody: boolean): Record<string, JsonSchema> {
  const codes: ManageErrorCode[] = ["invalid_input", "invalid_api_key", "access_denied"];
  codes.push("auth_unavailable", "database_unavailable", "internal_server_error", "database_error");
  if (route.path.includes(":") || route.operation === "reconcile") codes.push("resource_not_found");
  if (route.scope === "public" || route.operation === "changePassword") codes.push("rate_limit_exceeded");
  const answers: Record<string, JsonSchema> = {};
  for (const [status, same] of Map.groupBy(codes, (code) => ERROR_CATALOGUE[code].status)) {
    const description = describeCodes(same, MEANINGS);
    answers[status] = errorAnswer(status, same, { description, headers: errorHeaders(same) });
  }
  const tooLarge: Readonly<Record<number, string>> = readsBody ? { 413: "The body is larger than 64 KiB." } : {};
  for (const [status, description] of Object.entries({ ...PARSER_STATUSES, ...tooLarge })) {
    answers[status] = errorAnswer(Number(status), ["invalid_input"], { description, headers: REQUEST_ID });
  }
  return answers;
}

function errorHeaders(codes: readonly ManageErrorCode[]): JsonSchema {
  const isTimed = codes.some((code) => ERROR_CATALOGUE[code].retryAfter !== "never");
  return isTimed ? { ...REQUEST_ID, "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : REQUEST_ID;
}
const HEADERS = {
  RequestId: { description: "Names this request; report it with a 500.", required: true, schema: { type: "string" } },
  RetryAfter: { description: "Whole seconds.", schema: { type: "integer", minimum: 1, maximum: 60 } },
};

function buildSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const { name, shape } of [...Object.values(BODIES), ...Object.values(MANAGE_ANSWERS)]) {
    schemas[name] = toPlain(shape);
  }
  return {
    ...schemas,
    Error: errorEnvelope(
      "The envelope of every error, the one of /v1. `code` is the field to switch on.",
      "The field it is about, else null.",
      Object.keys(MEANINGS),
    ),
  };
}
