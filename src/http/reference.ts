// The interface's description for machines and for people: /openapi.json and /docs.
import type { ServerResponse } from "node:http";

/** Sends the OpenAPI document. */
export function sendOpenApi(response: ServerResponse, requestId: string, document: Buffer): void {
  response.writeHead(200, [
    "content-type",
    "application/json; charset=utf-8",
    "content-length",
    String(document.length),
    "x-request-id",
    requestId,
  ]);
  response.end(document);
}
