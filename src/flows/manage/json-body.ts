// Bytes to a JSON object: the same reading as under /v1, for the management server.
export { readJsonBody } from "../../core/reading/json-body.ts";
