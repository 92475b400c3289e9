// A create as its body says, read and checked field by field (core/reading/create-body.ts), not yet against the history
// and the model. @spec endpoints/post-responses
import type { ApiError } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Metadata } from "../../contract/resources.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import type { Setting, TextFormat, Truncation, Verbosity } from "../../contract/settings.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";
import type { SentItem } from "../history/input-item.ts";

/**
 * A field of a create as read, or what is wrong with it: not every response uses it, and the error may name the model.
 */
export type Deferred<T> = { readonly value: T } | { readonly faultFor: (model: string) => ApiError };

/** The value of a field, for a turn on a model that uses it. Throws the 400 about it. */
export function resolveField<T>(field: Deferred<T>, model = ""): T {
  if ("value" in field) return field.value;
  throw field.faultFor(model);
}

/** The generation settings as sent; null if not sent. */
export interface SentSettings {
  readonly parallelToolCalls: boolean | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly format: TextFormat | null;
  readonly verbosity: Verbosity | null;
}

/** A setting that was sent, with the top-level field that it is in. */
export interface SentSetting {
  /** No model supports `top_logprobs`. */
  readonly setting: Setting | "top_logprobs";
  readonly field: string;
}

/** The fields that a request with tool outputs inherits from its turn. */
export interface ToolFields {
  readonly tools: readonly EchoedTool[];
  readonly toolChoice: EchoedToolChoice;
  readonly maxToolCalls: number | null;
  readonly safetyIdentifier: string | null;
  /** Deprecated: the end user if safety_identifier is absent, else null; never echoed. */
  readonly user: string | null;
}

/** A create request whose fields are checked one by one, not yet against each other or the history. */
export interface CreateRequest {
  readonly model: string | null;
  readonly input: string | readonly SentItem[];
  readonly previousResponseId: ResponseId | null;
  readonly conversationId: string | null;
  readonly instructions: string | null;
  readonly metadata: Metadata | null;
  /** Of a user turn: tool outputs for a waiting turn inherit them, which only the history can tell. */
  readonly toolFields: Deferred<ToolFields>;
  /** The deprecated end user, as each request sends its own. */
  readonly user: Deferred<string | null>;
  readonly requestedMaxOutputTokens: number | null;
  readonly truncation: Truncation;
  readonly stream: boolean;
  readonly includeObfuscation: boolean;
  /** The choice for a user turn while function calls wait; null: the API key's default. */
  readonly unansweredCalls: UnansweredCalls | null;
  readonly includesEncryptedContent: Deferred<boolean>;
  readonly settings: Deferred<SentSettings>;
  /** Any explicit value counts, even the default. */
  readonly sentSettings: readonly SentSetting[];
  /** Whether it names a prompt template. */
  readonly hasPromptTemplate: boolean;
}
