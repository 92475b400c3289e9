// The parts of the `POST /v1/messages` body that this family sends. sdk-types.test.ts checks them against the
// provider's own types.
import type { JsonObject } from "../../base/json.ts";

export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly system?: string | readonly WireText[];
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
  readonly thinking?: WireThinking;
  readonly output_config?: WireOutputConfig;
  readonly metadata?: { readonly user_id: string };
}

export type WireMessage =
  | { readonly role: "user"; readonly content: readonly (WireToolResult | WireText)[] }
  | { readonly role: "assistant"; readonly content: readonly (WireReasoning | WireText | WireToolUse)[] }
  | { readonly role: "system"; readonly content: string };

/** A block that may end in a cache point. */
interface WireCacheable {
  readonly cache_control?: { readonly type: "ephemeral" };
}

export interface WireText extends WireCacheable {
  readonly type: "text";
  readonly text: string;
}

export type WireReasoning =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

export interface WireToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface WireToolResult extends WireCacheable {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string;
}

export interface WireTool extends WireCacheable {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject & { readonly type: "object" };
  readonly strict?: boolean;
}

export type WireToolChoice =
  | { readonly type: "none" }
  | { readonly type: "auto" | "any"; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: boolean };

export type WireThinking =
  | {
      readonly type: "adaptive";
      readonly display: "summarized";
      readonly block_binding?: { readonly prefix_mismatch_behavior: "drop_block" };
    }
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "disabled" };

export type WireEffort = "low" | "medium" | "high" | "xhigh" | "max";

export interface WireOutputConfig {
  readonly effort?: WireEffort;
  readonly format?: { readonly type: "json_schema"; readonly schema: JsonObject };
}
