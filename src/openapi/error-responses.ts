// The error envelope and the error responses in the OpenAPI documents. @spec errors
import { ERROR_CATALOGUE, ERROR_TYPES, type ErrorCode, errorType } from "../contract/errors.ts";
import { jsonContent, type JsonSchema, schemaRef } from "./json.ts";

/** Statuses of errors that the HTTP layer raises, all with code `invalid_input` (docs/wire.md, Objects). */
const PARSER_STATUSES: Readonly<Record<number, string>> = {
  408: "The request was sent too slowly.",
  417: "An Expect header other than 100-continue.",
  431: "The request's headers are too large.",
};

/** The header of every response. */
export const REQUEST_ID = { "x-request-id": { $ref: "#/components/headers/RequestId" } };

/** The component `Error`; `param` describes that member. */
export function errorEnvelope(description: string, param: string, codes: readonly string[]): JsonSchema {
  const properties = {
    message: { type: "string" },
    type: { type: "string", enum: [...ERROR_TYPES] },
    param: { type: ["string", "null"], description: param },
    code: { type: "string", enum: codes },
  };
  return {
    description,
    type: "object",
    required: ["error"],
    properties: { error: { type: "object", required: Object.keys(properties), properties } },
  };
}

interface ErrorTexts<Code extends ErrorCode> {
  readonly meanings: Readonly<Record<Code, string>>;
  readonly headersOf: (codes: readonly Code[]) => JsonSchema;
  /** Null: the operation has no body. */
  readonly bodyTooLarge: string | null;
}

/** The error responses of an operation: one for each status of its codes, and those of the HTTP layer. */
export function errorResponses<Code extends ErrorCode>(
  codes: Iterable<Code>,
  { meanings, headersOf, bodyTooLarge }: ErrorTexts<Code>,
): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  for (const [status, same] of Map.groupBy(codes, (code) => ERROR_CATALOGUE[code].status)) {
    const description = same.map((code) => `- \`${code}\`: ${meanings[code]}`).join("\n");
    responses[status] = errorResponse(status, same, description, headersOf(same));
  }
  const parserStatuses = bodyTooLarge === null ? PARSER_STATUSES : { ...PARSER_STATUSES, 413: bodyTooLarge };
  for (const [status, description] of Object.entries(parserStatuses)) {
    // A body is read after the request has drawn from its allowance.
    const headers = status === "413" ? headersOf([]) : REQUEST_ID;
    responses[status] = errorResponse(Number(status), ["invalid_input"], description, headers);
  }
  return responses;
}

/** The envelope, narrowed to the codes of a status and their types. */
function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  description: string,
  headers: JsonSchema,
): JsonSchema {
  const types = [...new Set(codes.map((code) => errorType(status, code)))];
  const narrowed = { properties: { error: { properties: { code: { enum: codes }, type: { enum: types } } } } };
  return { description, headers, content: jsonContent({ allOf: [schemaRef("Error"), narrowed] }) };
}
