// Requests to /v1 with the key of the tab, typed from openapi.json.
import { createParser } from "eventsource-parser";
import createClient from "openapi-fetch";
import type { components, paths } from "../../../generated/v1.ts";
import { WITH_TAB_KEY } from "../../api/client.ts";
import { credentials } from "../../api/credentials.ts";
import { readFailure, unreachable } from "../../api/failure.ts";
import { listing, WITH_KEY } from "../../api/queries.ts";

type Schemas = components["schemas"];
export type CreateBody = Schemas["CreateResponseBody"];
export type Response = Schemas["Response"];
export type StreamEvent = Schemas["StreamEvent"];
export type Item = Schemas["Item"];
export type FunctionCall = Schemas["FunctionCall"];
export type Usage = Schemas["Usage"];

/** The client for all requests but streams. Its requests carry the key and no cookie. */
export const v1 = createClient<paths>({ baseUrl: "/v1", credentials: "omit" });

v1.use(WITH_TAB_KEY);

/** The models that the key may use, which can be fewer than the catalog's. */
export const keyModelsQuery = listing([WITH_KEY, "models"], () => v1.GET("/models"));

/**
 * Creates a response as a stream. With the same idempotency key it is created once. `onEvent` gets every event as it arrives. Resolves with the request id when the
 * stream has ended; rejects with a RequestFailure for an HTTP error or a lost connection.
 */
export async function streamResponse(
  body: CreateBody,
  idempotencyKey: string,
  onEvent: (event: StreamEvent) => void,
): Promise<string | null> {
  const response = await fetch("/v1/responses", {
    method: "POST",
    credentials: "omit",
    headers: {
      authorization: `Bearer ${credentials.key ?? ""}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  if (!response.ok || response.body === null) throw readFailure(await response.json().catch(() => null), response);
  const parser = createParser({ onEvent: ({ data }) => onEvent(JSON.parse(data) as StreamEvent) });
  const decoder = new TextDecoder();
  try {
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  } catch (error) {
    throw unreachable(error);
  }
  return response.headers.get("x-request-id");
}

/** An idempotency key. Not `randomUUID`, which browsers have only on https and on this machine. */
export function mintKey(): string {
  return `playground-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
}
