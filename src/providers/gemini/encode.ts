// Encodes a prompt as the body of a generateContent request: only settings of the client, plus the output limit and the
// catalog's thinking.
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import { forcesACall } from "../../contract/tools.ts";
import type { Unsupported } from "../../ports/provider.ts";
import type { JsonObject } from "../../base/json.ts";
import { createWireNames, type WireNameRule, type WireNames } from "../wire/wire-names.ts";
import { offeredTools, toolNamesOf } from "../wire/tools.ts";
import { encodeMessages, type WireContent, type WireText } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";
import { describeSchema, limitSchema } from "./schema.ts";
import { encodeThinking, type WireThinking } from "./thinking.ts";
import { encodeToolConfig, encodeTools, type WireToolConfig, type WireTools } from "./tools.ts";

/** The body of `POST /v1beta/models/{model}:streamGenerateContent`. */
export interface WireRequest {
  contents: WireContent[];
  systemInstruction?: { readonly parts: WireText[] };
  tools?: WireTools[];
  toolConfig?: WireToolConfig;
  generationConfig: WireGenerationConfig;
}

export interface WireGenerationConfig {
  maxOutputTokens: number;
  temperature?: number;
  topP?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseMimeType?: "application/json";
  responseJsonSchema?: JsonObject;
  thinkingConfig?: WireThinking;
}

/** The function names that the provider accepts. */
const NAMES: WireNameRule = {
  valid: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  invalidCharacters: /[^a-zA-Z0-9_.:-]/gu,
  charactersMax: 128,
};

export interface Encoded {
  readonly request: WireRequest;
  /** Maps tool names to the wire and back. */
  readonly toolNames: WireNames;
}

/** Encodes one round. */
export function encode(model: CatalogModel, prompt: Prompt): Encoded {
  const traits = traitsOf(model.upstreamModel);
  const toolNames = createWireNames(toolNamesOf(prompt), NAMES);
  const { system, contents } = encodeMessages(prompt, { traits, toolNames });
  const request: WireRequest = { contents, generationConfig: encodeSettings(prompt) };
  if (system.length > 0) request.systemInstruction = { parts: [...system] };
  const tools = encodeTools(prompt, toolNames);
  if (tools !== null) request.tools = [tools];
  const toolConfig = encodeToolConfig(prompt, { traits, toolNames });
  if (toolConfig !== null) request.toolConfig = toolConfig;
  const thinking = encodeThinking(model.thinking, traits);
  if (thinking !== null) request.generationConfig.thinkingConfig = thinking;
  addFormat(request.generationConfig, prompt);
  return { request, toolNames };
}

/** A format beside a forced call, or before Gemini 3 beside any tool that may be called: the provider rejects the two together. */
export function unsupportedOf(model: CatalogModel, prompt: Prompt): Unsupported | null {
  const { format, toolChoice } = prompt;
  if (format?.type !== "json_schema") return null;
  const mayCall = toolChoice !== "none" && offeredTools(prompt).length > 0;
  const isForced = forcesACall(toolChoice);
  if (!isForced && (!mayCall || traitsOf(model.upstreamModel).formatsBesideTools)) return null;
  const beside = isForced ? "a tool_choice that forces a call" : "tools";
  const message = `The model ${model.id} does not support text.format json_schema beside ${beside}: leave one of them out.`;
  return { param: "text", message };
}

function encodeSettings(prompt: Prompt): WireGenerationConfig {
  const { temperature, topP, presencePenalty, frequencyPenalty } = prompt;
  return {
    // Includes thoughts. Always sent, as the window check has reserved it.
    maxOutputTokens: prompt.maxOutputTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...(presencePenalty === null ? {} : { presencePenalty }),
    ...(frequencyPenalty === null ? {} : { frequencyPenalty }),
  };
}

function addFormat(settings: WireGenerationConfig, { format }: Prompt): void {
  if (format === null || format.type !== "json_schema") return;
  settings.responseMimeType = "application/json";
  settings.responseJsonSchema = describeSchema(limitSchema(format.schema), format.description);
}
