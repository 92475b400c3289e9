// The OpenAPI 3.1 document of /v1, built from the route table, the shapes and the error catalogue. @spec versioning
import { jsonContent, type JsonSchema, schemaRef } from "./json.ts";
import { IDEMPOTENCY_KEY_PARAMETER, OPERATIONS, type OperationEntry, QUERY_PARAMETERS } from "./operations.ts";
import { commonHeaders, HEADERS, operationErrors } from "./operation-errors.ts";
import { buildPaths, type OperationObject, pathParameters } from "./paths.ts";
import { buildSchemas } from "./schemas.ts";
import { shareResponses } from "./shared-responses.ts";
import { ROUTES, type Route } from "../contract/routes.ts";

/** The content of `openapi.json`; a test compares the two. */
export function buildOpenApi(): JsonSchema {
  const { paths, responses } = shareResponses(buildPaths(ROUTES, describeRoute));
  return {
    openapi: "3.1.0",
    info: {
      title: "Turngate",
      version: "1.0.0",
      description:
        "Runs one model turn per request in the Responses-API style and stores the result. Extension fields carry the prefix `svc:`; clients ignore unknown ones. Unknown request fields are ignored. A body with the character U+0000 in any string or key, in unknown fields too, is rejected with 400; so are half a surrogate pair and more than 64 levels of nesting in the fields that are read.",
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

function describeRoute(route: Route): OperationObject {
  const { operation } = route;
  const entry = OPERATIONS[operation];
  return {
    operationId: operation,
    tags: [entry.tag],
    summary: entry.summary,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    parameters: [...pathParameters(route), ...queryParameters(entry), ...headerParameters(route)],
    ...(entry.body === undefined ? {} : { requestBody: requestBody(entry.body, route) }),
    responses: { "200": successResponse(entry, route), ...operationErrors(operation, route) },
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

function successResponse(entry: OperationEntry, route: Route): JsonSchema {
  const json = jsonContent(schemaRef(entry.response));
  const stream = entry.streams === true ? { "text/event-stream": { schema: schemaRef("StreamEvent") } } : {};
  return { description: entry.responseDescription, headers: commonHeaders(route), content: { ...json, ...stream } };
}
