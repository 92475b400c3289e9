// Checks what this family sends and reads against the types of the official SDK: drift fails the type check, not the
// service.
import assert from "node:assert/strict";
import test from "node:test";
import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseError,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from "openai/resources/responses/responses";
import { sampleHead, sampleModel, samplePrompt, sampleTool } from "../../../test/support/provider-samples.ts";
import { encode, type WireRequest } from "./encode.ts";
import { errorInStream } from "./failures.ts";
import type { WireItem } from "./items.ts";
import type { RoundCall, RoundMessage, RoundReasoning } from "./round-state.ts";

/** The same type, read-only at any depth like ours. */
type Frozen<T> = T extends readonly (infer Element)[]
  ? readonly Frozen<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

// The SDK requires ids of reasoning and messages. We send those that we received; some servers send none.
type SdkReasoning = Omit<ResponseReasoningItem, "id">;
type SdkMessage = EasyInputMessage | Omit<ResponseOutputMessage, "id">;
type SdkItem =
  | EasyInputMessage
  | ResponseFunctionToolCall
  | ResponseInputItem.FunctionCallOutput
  | SdkReasoning
  | SdkMessage;
interface SdkRequest extends Omit<ResponseCreateParamsStreaming, "input" | "reasoning"> {
  input: SdkItem[];
  /** The efforts are data of the catalog. */
  reasoning?: { effort: string };
}

type Holds<T extends true> = T;
type Fits<Ours extends Theirs, Theirs> = Ours extends Theirs ? true : never;
type IsNever<T> = [T] extends [never] ? true : false;

type _RequestFits = Holds<Fits<WireRequest, Frozen<SdkRequest>>>;
type _ItemsFit = Holds<Fits<WireItem, Frozen<SdkItem>>>;
type _ReasoningFits = Holds<Fits<RoundReasoning, Frozen<SdkReasoning>>>;
type _MessageFits = Holds<Fits<RoundMessage, Frozen<SdkMessage>>>;
type _CallFits = Holds<Fits<RoundCall, Frozen<ResponseFunctionToolCall>>>;
type _NoUnknownField = Holds<IsNever<Exclude<keyof WireRequest, keyof ResponseCreateParamsStreaming>>>;
type _NoUnknownReasoning = Holds<IsNever<Exclude<keyof RoundReasoning, keyof ResponseReasoningItem>>>;
type _NoUnknownMessage = Holds<IsNever<Exclude<keyof RoundMessage, keyof ResponseOutputMessage>>>;
type _NoUnknownCall = Holds<IsNever<Exclude<keyof RoundCall, keyof ResponseFunctionToolCall>>>;

/** The events that the decoder reads, with the fields it uses. */
type Event<Type extends ResponseStreamEvent["type"]> = Extract<ResponseStreamEvent, { type: Type }>;
type _Read = readonly [
  Event<"response.output_text.delta" | "response.refusal.delta">["delta" | "output_index" | "content_index"],
  Event<"response.function_call_arguments.delta">["delta" | "output_index"],
  Event<"response.output_item.added" | "response.output_item.done">["item" | "output_index"],
  Event<"response.output_text.annotation.added">["annotation" | "output_index" | "content_index"],
  Event<"response.completed" | "response.incomplete" | "response.failed">["response"],
  Event<"error">["code" | "message"],
  ResponseUsage["input_tokens_details"]["cached_tokens" | "cache_write_tokens"],
  ResponseUsage["output_tokens_details"]["reasoning_tokens"],
];

export type Checked = readonly [
  _RequestFits,
  _ItemsFit,
  _ReasoningFits,
  _MessageFits,
  _CallFits,
  _NoUnknownField,
  _NoUnknownReasoning,
  _NoUnknownMessage,
  _NoUnknownCall,
  _Read,
];

/** Every code of a failed response in the SDK, and the failure it becomes. */
const FAILED_CODES: Readonly<Record<ResponseError["code"], string>> = {
  server_error: "provider_unavailable",
  rate_limit_exceeded: "provider_rate_limited",
  invalid_prompt: "provider_client_error",
  data_residency_mismatch: "provider_unavailable",
  bio_policy: "provider_client_error",
  misalignment_policy_violation: "provider_client_error",
  image_content_policy_violation: "provider_client_error",
  // Codes about features that are never used.
  vector_store_timeout: "provider_error",
  invalid_image: "provider_error",
  invalid_image_format: "provider_error",
  invalid_base64_image: "provider_error",
  invalid_image_url: "provider_error",
  image_too_large: "provider_error",
  image_too_small: "provider_error",
  image_parse_error: "provider_error",
  invalid_image_mode: "provider_error",
  image_file_too_large: "provider_error",
  unsupported_image_media_type: "provider_error",
  empty_image_file: "provider_error",
  failed_to_download_image: "provider_error",
  image_file_not_found: "provider_error",
};

test("every code of a failed response is mapped", () => {
  for (const [code, failure] of Object.entries(FAILED_CODES)) {
    const error = { error: { code, message: "why" } };
    assert.equal(errorInStream(sampleHead(), error).code, failure, code);
  }
});

test("nothing that the API has deprecated or rejects is sent", () => {
  const prompt = samplePrompt("Hi", { temperature: 1, topP: 1, tools: [sampleTool("a")], endUserHash: "ab" });
  const sent = Object.keys(encode(sampleModel(), prompt, "key").request);
  const never: (keyof ResponseCreateParamsStreaming)[] = [
    "truncation",
    "temperature",
    "top_p",
    "user",
    "previous_response_id",
    "conversation",
    "metadata",
    "max_tool_calls",
    "prompt_cache_retention",
  ];
  for (const key of never) assert.ok(!sent.includes(key), key);
});
