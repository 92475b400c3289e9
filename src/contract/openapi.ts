// The OpenAPI 3.1 description of the /v1 surface, generated from the route table, the shapes and the refusal catalogue.
// @spec versioning
import { shareAnswers } from "./openapi-answers.ts";
import { buildErrorAnswers, commonHeaders, HEADERS } from "./openapi-errors.ts";
import { jsonContent, type JsonSchema, schemaRef } from "./openapi-json.ts";
import {
  IDEMPOTENCY_KEY_PARAMETER,
  OPERATION_ENTRIES,
  type OperationEntry,
  QUERY_PARAMETERS,
} from "./openapi-operations.ts";
import { buildPaths, type OperationObject, pathParameters } from "./openapi-paths.ts";
import { buildSchemas } from "./openapi-schemas.ts";
import { ROUTES, type Route } from "./routes.ts";

/** The document; `openapi.json` is its JSON, and a test compares the two. */
export function buildOpenApi(): JsonSchema {
  const { paths, responses } = shareAnswers(buildPaths(ROUTES, describeRoute));
  return {
    openapi: "3.1.0",
    info: {
      title: "Turngate",
      version: "1.0.0",
      description:
        "Runs one model turn per request in the Responses-API style and stores the result. Extension fields carry the prefix `svc:`; clients ignore those they do not know. Unknown request fields are ignored.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/v1" }],
    security: [{ apiKey: [] }],
    tags: [{ name: "Models" }, { name: "Responses" }, { name: "Conversations" }, { name: "Items" }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key, `sk_…`." } },
      parameters: { ...QUERY_PARAMETERS, IdempotencyKey: IDEMPOTENCY_KEY_PARAMETER },
      headers: HEADERS,
      responses,
      schemas: buildSchemas(),
    },
  };
}

function describeRoute(route: (typeof ROUTES)[number]): OperationObject {
  const { operation } = route;
  const entry = OPERATION_ENTRIES[operation];
  return {
    operationId: operation,
    tags: [entry.tag],
    summary: entry.summary,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    parameters: [...pathParameters(route), ...queryParameters(entry), ...headerParameters(route)],
    ...(entry.body === undefined ? {} : { requestBody: requestBody(entry.body, route) }),
    responses: { "200": buildAnswer(entry, route), ...buildErrorAnswers(operation, route) },
  };
}

function queryParameters(entry: OperationEntry): JsonSchema[] {
  return (entry.query ?? []).map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function headerParameters(route: Route): JsonSchema[] {
  return route.idempotent ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [];
}

function requestBody(component: string, route: Route): JsonSchema {
  return { required: route.body === "required", content: jsonContent(schemaRef(component)) };
}

function buildAnswer(entry: OperationEntry, route: Route): JsonSchema {
  const json = jsonContent(schemaRef(entry.answer));
  const stream = entry.streams === true ? { "text/event-stream": { schema: schemaRef("StreamEvent") } } : {};
  return { description: entry.answerDescription, headers: commonHeaders(route), content: { ...json, ...stream } };
}
