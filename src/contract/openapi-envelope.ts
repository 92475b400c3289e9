// An error as OpenAPI documents describe it: its envelope, and an answer that holds it. @spec errors
import { ERROR_TYPES, type ErrorCode, errorType } from "./errors.ts";
import { jsonContent, type JsonSchema, schemaRef } from "./openapi-json.ts";

/** Statuses at which the HTTP layer itself refuses, all with code `invalid_input` (docs/wire.md, objects). */
export const PARSER_STATUSES: Readonly<Record<number, string>> = {
  408: "The request came too slowly.",
  417: "An Expect header other than 100-continue.",
  431: "The request's headers are too large.",
};

/** The header of every answer. */
export const REQUEST_ID = { "x-request-id": { $ref: "#/components/headers/RequestId" } };

/** The component `Error`; `param` says what that member names. */
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

/** An error answer of a status: the envelope, narrowed to its codes and their types. */
export function errorAnswer(
  status: number,
  codes: readonly ErrorCode[],
  { description, headers }: { description: string; headers: JsonSchema },
): JsonSchema {
  const types = [...new Set(codes.map((code) => errorType(status, code)))];
  const narrowed = { properties: { error: { properties: { code: { enum: codes }, type: { enum: types } } } } };
  return { description, headers, content: jsonContent({ allOf: [schemaRef("Error"), narrowed] }) };
}

/** Codes with what each means: the description of an answer that may have any of them. */
export function describeCodes<Code extends ErrorCode>(
  codes: readonly Code[],
  meanings: Readonly<Record<Code, string>>,
): string {
  return codes.map((code) => `- \`${code}\`: ${meanings[code]}`).join("\n");
}
