// Checks what this family sends and reads against the provider's own types: drift fails the type check, not the
// service.
import assert from "node:assert/strict";
import test from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { STOP_REASONS } from "./stop-reasons.ts";
import type { WireEffort, WireRequest } from "./wire.ts";

/** The SDK's types are not readonly. */
type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

type Beta = Anthropic.Beta.MessageCreateParamsStreaming;
type Stable = Anthropic.MessageCreateParamsStreaming;
/** `block_binding` is in the beta types alone. */
type Unbound<T> = T extends { readonly block_binding?: unknown } ? Omit<T, "block_binding"> : T;
type StableRequest = Omit<WireRequest, "thinking"> & {
  readonly thinking?: Unbound<NonNullable<WireRequest["thinking"]>>;
};

/** Fails to compile when the first type is not assignable to the second. */
function accept<Sent extends Accepted, Accepted>(..._nothing: [Sent?, Accepted?]): true {
  return true;
}

/** Keys of ours that the provider's type does not have: assignability alone would let them pass. */
type Unknown<Ours, Theirs> = Ours extends unknown ? Exclude<keyof Ours, KeyOfAny<Theirs>> : never;
type KeyOfAny<Union> = Union extends unknown ? keyof Union : never;
type Block<Role extends "user" | "assistant"> = Extract<
  WireRequest["messages"][number],
  { role: Role }
>["content"][number];
type StableTool = Extract<Anthropic.ToolUnion, Anthropic.Tool>;

test("requests have the type of the provider's parameters", () => {
  assert.ok(accept<Writable<WireRequest>, Beta>());
  assert.ok(accept<Writable<StableRequest>, Stable>());
});

test("requests have only keys that the provider knows", () => {
  assert.ok(accept<Unknown<WireRequest, Stable>, never>());
  assert.ok(accept<Unknown<NonNullable<WireRequest["output_config"]>, Anthropic.OutputConfig>, never>());
  assert.ok(accept<Unknown<NonNullable<WireRequest["metadata"]>, Anthropic.Metadata>, never>());
  assert.ok(accept<Unknown<NonNullable<WireRequest["tools"]>[number], StableTool>, never>());
  assert.ok(accept<Unknown<NonNullable<WireRequest["tool_choice"]>, Anthropic.ToolChoice>, never>());
  assert.ok(accept<Unknown<NonNullable<WireRequest["thinking"]>, Anthropic.Beta.BetaThinkingConfigParam>, never>());
  assert.ok(accept<Unknown<Block<"user" | "assistant">, Anthropic.ContentBlockParam>, never>());
});

test("every effort of the provider can be requested", () => {
  assert.ok(accept<NonNullable<Anthropic.OutputConfig["effort"]>, WireEffort>());
  assert.ok(accept<WireEffort, NonNullable<Anthropic.OutputConfig["effort"]>>());
});

test("every stop reason of the provider is mapped", () => {
  const reasons = STOP_REASONS satisfies Record<Anthropic.StopReason, string>;
  assert.ok(accept<keyof typeof reasons, Anthropic.StopReason>());
});

test("the decoder reads every event and delta of the provider", () => {
  type Read =
    | "message_start"
    | "content_block_start"
    | "content_block_delta"
    | "content_block_stop"
    | "message_delta"
    | "message_stop";
  assert.ok(accept<Anthropic.RawMessageStreamEvent["type"], Read>());
  // Citations come with documents and the provider's own tools; neither is sent.
  type ReadDelta = "text_delta" | "input_json_delta" | "thinking_delta" | "signature_delta" | "citations_delta";
  assert.ok(accept<Anthropic.RawContentBlockDelta["type"], ReadDelta>());
});
