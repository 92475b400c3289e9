// Encodes a prompt as the body of a chat completion. Settings that are not set are not sent.
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { EchoedTool } from "../../contract/tools.ts";
import { encodeFormat, type NamedSchema } from "../wire/named-schema.ts";
import { createWireNames, type WireNames, wordRule } from "../wire/wire-names.ts";
import { completeParameters } from "../wire/tool-schema.ts";
import { effortOf } from "../wire/reasoning.ts";
import { offeredTools, toolNamesOf } from "../wire/tools.ts";
import { encodeMessages } from "./messages.ts";
import { type ModelTraits, traitsOf } from "./model-traits.ts";
import type { WireMessage } from "./thread.ts";

/** The body of `POST /chat/completions`. */
export interface WireRequest {
  model: string;
  messages: readonly WireMessage[];
  stream: true;
  stream_options: { include_usage: true };
  tools?: readonly WireTool[];
  tool_choice?: WireToolChoice;
  parallel_tool_calls?: boolean;
  response_format?: { readonly type: "json_schema"; readonly json_schema: NamedSchema };
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  top_p?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  verbosity?: string;
  reasoning_effort?: string;
  user?: string;
}

interface WireTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly strict?: boolean;
  };
}

type WireToolChoice = "none" | "required" | { readonly type: "function"; readonly function: { readonly name: string } };

/** Function names that OpenAI's own and compatible servers accept. */
const NAMES = wordRule(64);

export interface Encoded {
  readonly request: WireRequest;
  /** Maps the names of called tools back. */
  readonly toolNames: WireNames;
}

/** Encodes one round. */
export function encode(model: CatalogModel, prompt: Prompt): Encoded {
  const traits = traitsOf(model);
  const toolNames = createWireNames(toolNamesOf(prompt), NAMES);
  const request: WireRequest = {
    model: model.upstreamModel,
    messages: encodeMessages(prompt, { traits, toolNames }),
    stream: true,
    stream_options: { include_usage: true },
  };
  addTools(request, prompt, toolNames);
  addSettings(request, prompt, traits);
  const effort = effortOf(model);
  if (effort !== null) request.reasoning_effort = effort;
  if (prompt.endUserHash !== null && model.hasEndUserField) request.user = prompt.endUserHash;
  return { request, toolNames };
}

function addTools(request: WireRequest, prompt: Prompt, toolNames: WireNames): void {
  const tools = offeredTools(prompt);
  // Without tools, tool_choice and parallel_tool_calls have no effect, and several servers reject them.
  if (tools.length === 0) return;
  // Some servers reject tools of which only a part is strict, and some the default of the key.
  const areStrict = tools.every(({ strict }) => strict === true);
  request.tools = tools.map((tool) => encodeTool(tool, areStrict, toolNames));
  const choice = encodeToolChoice(prompt, toolNames);
  if (choice !== null) request.tool_choice = choice;
  if (prompt.parallelToolCalls !== null) request.parallel_tool_calls = prompt.parallelToolCalls;
}

function encodeTool({ name, description, parameters }: EchoedTool, isStrict: boolean, toolNames: WireNames): WireTool {
  return {
    type: "function",
    function: {
      name: toolNames.toWire(name),
      ...(description === null ? {} : { description }),
      // Optional in the standard, but several servers reject a schema without them.
      parameters: completeParameters(parameters),
      ...(isStrict ? { strict: true } : {}),
    },
  };
}

/** Null for `auto`, the default when tools are sent. */
function encodeToolChoice({ toolChoice }: Prompt, toolNames: WireNames): WireToolChoice | null {
  if (typeof toolChoice === "string") return toolChoice === "auto" ? null : toolChoice;
  if (toolChoice.type === "function") {
    return { type: "function", function: { name: toolNames.toWire(toolChoice.name) } };
  }
  return toolChoice.mode === "auto" ? null : toolChoice.mode;
}

function addSettings(request: WireRequest, prompt: Prompt, { limitsCompletion }: ModelTraits): void {
  const schema = encodeFormat(prompt.format);
  if (schema !== null) request.response_format = { type: "json_schema", json_schema: schema };
  if (prompt.maxOutputTokensSet) {
    // OpenAI's reasoning models reject max_tokens, and several servers know no other name.
    request[limitsCompletion ? "max_completion_tokens" : "max_tokens"] = prompt.maxOutputTokens;
  }
  if (prompt.temperature !== null) request.temperature = prompt.temperature;
  if (prompt.topP !== null) request.top_p = prompt.topP;
  if (prompt.presencePenalty !== null) request.presence_penalty = prompt.presencePenalty;
  if (prompt.frequencyPenalty !== null) request.frequency_penalty = prompt.frequencyPenalty;
  if (prompt.verbosity !== null) request.verbosity = prompt.verbosity;
}
