// The events of a stream and their payloads. @spec events; payloads in docs/wire.md
import Type, { type Static, type TObject, type TProperties } from "typebox";
import { ERROR_TYPES } from "./errors.ts";
import { FunctionCall, Message, OutputItem, OutputTextPart, Reasoning, RefusalPart, UrlCitation } from "./items.ts";
import { oneOf, orNull } from "./shapes.ts";
import { ResponseObject } from "./resources.ts";

const event = <const T extends string, P extends TProperties>(type: T, payload: P) =>
  Type.Object({ type: Type.Literal(type), sequence_number: Type.Integer({ minimum: 0 }), ...payload });

const inItem = { item_id: Type.String(), output_index: Type.Integer() };
const inPart = { ...inItem, content_index: Type.Integer() };
const lifecycle = { response: ResponseObject };
const obfuscation = Type.Optional(
  Type.String({ minLength: 1, description: "Padding; absent when include_obfuscation is false." }),
);
const noLogprobs = Type.Array(Type.Unknown(), { maxItems: 0 });
const part = Type.Union([OutputTextPart, RefusalPart]);

/** Every event the service sends, by type. */
export const EVENTS = {
  "response.created": event("response.created", lifecycle),
  "response.queued": event("response.queued", lifecycle),
  "response.in_progress": event("response.in_progress", lifecycle),
  "response.output_item.added": event("response.output_item.added", {
    output_index: Type.Integer(),
    item: Type.Union([Message, FunctionCall, Reasoning]),
  }),
  "response.output_item.done": event("response.output_item.done", { output_index: Type.Integer(), item: OutputItem }),
  "response.content_part.added": event("response.content_part.added", { ...inPart, part }),
  "response.content_part.done": event("response.content_part.done", { ...inPart, part }),
  "response.output_text.delta": event("response.output_text.delta", {
    ...inPart,
    delta: Type.String(),
    logprobs: noLogprobs,
    obfuscation,
  }),
  "response.output_text.done": event("response.output_text.done", {
    ...inPart,
    text: Type.String(),
    logprobs: noLogprobs,
  }),
  "response.output_text.annotation.added": event("response.output_text.annotation.added", {
    ...inPart,
    annotation_index: Type.Integer(),
    annotation: UrlCitation,
  }),
  "response.refusal.delta": event("response.refusal.delta", { ...inPart, delta: Type.String(), obfuscation }),
  "response.refusal.done": event("response.refusal.done", { ...inPart, refusal: Type.String() }),
  "response.function_call_arguments.delta": event("response.function_call_arguments.delta", {
    ...inItem,
    delta: Type.String(),
    obfuscation,
  }),
  "response.function_call_arguments.done": event("response.function_call_arguments.done", {
    ...inItem,
    arguments: Type.String(),
  }),
  "response.completed": event("response.completed", lifecycle),
  "response.incomplete": event("response.incomplete", lifecycle),
  "response.failed": event("response.failed", lifecycle),
  error: event("error", {
    code: Type.String(),
    message: Type.String(),
    param: orNull(Type.String()),
    error: Type.Object({
      type: oneOf(ERROR_TYPES),
      code: Type.String(),
      message: Type.String(),
      param: orNull(Type.String()),
    }),
    response: ResponseObject,
  }),
} as const satisfies Record<string, TObject>;

export type EventType = keyof typeof EVENTS;
type EventOf<T extends EventType> = Static<(typeof EVENTS)[T]>;
/** An event before it is numbered and padded. */
export type ResponseEvent = { [T in EventType]: Omit<EventOf<T>, "sequence_number" | "obfuscation"> }[EventType];

/** The code of the `error` event: the stream ended before the response settled. @spec events */
export const RESPONSE_UNRESOLVED = "response_unresolved";
