// The events of a settled response, rebuilt from what is stored: same ids, one delta for each part, one terminal event.
// @spec limits (idempotency); docs/wire.md (Stream frames)
import type { ResponseEvent } from "../../contract/events.ts";
import type { MessagePart, OutputItem } from "../../contract/items.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { isTerminal, type ResponseStatus } from "../../contract/statuses.ts";
import type { StoredResponse } from "./response.ts";

/** The first events, sent while the response still runs, so that a reader learns its id at once. */
export function* replayBeginning(running: ResponseObject): Generator<ResponseEvent> {
  yield { type: "response.created", response: running };
  if (running.status === "queued") yield { type: "response.queued", response: running };
  else yield { type: "response.in_progress", response: running };
}

/** The remaining events, once the response has settled. */
export function* replayRest(running: ResponseObject, settled: ResponseObject): Generator<ResponseEvent> {
  if (running.status === "queued") {
    yield { type: "response.in_progress", response: { ...running, status: "in_progress" } };
  }
  for (const [index, item] of settled.output.entries()) yield* replayItem(item, index);
  yield terminalEvent(settled);
}

/**
 * The one event that ends a stream whose response has settled; a cancelled one ends as `response.failed`
 * (docs/wire.md).
 */
export function terminalEvent(settled: ResponseObject): ResponseEvent {
  switch (settled.status as ResponseStatus) {
    case "completed":
      return { type: "response.completed", response: settled };
    case "incomplete":
      return { type: "response.incomplete", response: settled };
    case "failed":
    case "cancelled":
      return { type: "response.failed", response: settled };
    default:
      throw new Error(`a response that is ${settled.status} has no terminal event`);
  }
}

/** The response as it was when it began to run. */
export function asRunning(response: StoredResponse): StoredResponse {
  return isTerminal(response.status) ? { head: response.head, status: "in_progress", end: null } : response;
}

function* replayItem(item: OutputItem, outputIndex: number): Generator<ResponseEvent> {
  const place = { item_id: item.id, output_index: outputIndex };
  yield { type: "response.output_item.added", output_index: outputIndex, item: asAdded(item) };
  if (item.type === "message") {
    for (const [index, part] of item.content.entries()) yield* replayPart(part, { ...place, content_index: index });
  } else if (item.type === "function_call") {
    yield { type: "response.function_call_arguments.delta", ...place, delta: item.arguments };
    yield { type: "response.function_call_arguments.done", ...place, arguments: item.arguments };
  }
  yield { type: "response.output_item.done", output_index: outputIndex, item };
}

/** The item as it was when it was added to the output. */
function asAdded(item: OutputItem): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "reasoning":
      return { type: "reasoning", id: item.id, summary: [] };
    default:
      return item satisfies never;
  }
}

function* replayPart(
  part: MessagePart,
  place: { item_id: string; output_index: number; content_index: number },
): Generator<ResponseEvent> {
  if (part.type === "refusal") {
    yield { type: "response.content_part.added", ...place, part: { type: "refusal", refusal: "" } };
    if (part.refusal !== "") yield { type: "response.refusal.delta", ...place, delta: part.refusal };
    yield { type: "response.refusal.done", ...place, refusal: part.refusal };
    yield { type: "response.content_part.done", ...place, part };
    return;
  }
  if (part.type !== "output_text") throw new Error(`a response has no ${part.type} part`);
  yield {
    type: "response.content_part.added",
    ...place,
    part: { type: "output_text", text: "", annotations: [], logprobs: [] },
  };
  if (part.text !== "") yield { type: "response.output_text.delta", ...place, delta: part.text, logprobs: [] };
  for (const [index, annotation] of part.annotations.entries()) {
    yield { type: "response.output_text.annotation.added", ...place, annotation_index: index, annotation };
  }
  yield { type: "response.output_text.done", ...place, text: part.text, logprobs: [] };
  yield { type: "response.content_part.done", ...place, part };
}
