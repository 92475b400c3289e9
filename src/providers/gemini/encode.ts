// A prompt becomes the body of a generateContent request. Nothing is sent that was not set, but for the limit of output and how
// much to think, which the catalog sets.
import type { CatalogModel } from "../../core/catalog.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { JsonRecord } from "../json-shape.ts";
import { createLabels, type LabelRule, type Labels } from "../labels.ts";
import { toolNamesOf } from "../tools.ts";
import { encodeMessages, type WireContent, type WireText } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";
import { limitSchema } from "./schema.ts";
import { encodeThinking, type WireThinking } from "./thinking.ts";
import { encodeToolConfig, encodeTools, isForced, type WireToolConfig, type WireTools } from "./tools.ts";

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
  responseJsonSchema?: JsonRecord;
  thinkingConfig?: WireThinking;
}

/** What the provider takes as the name of a function. */
const NAMES: LabelRule = {
  fits: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  misfits: /[^a-zA-Z0-9_.:-]/gu,
  charactersMax: 128,
};

export interface Encoded {
  readonly request: WireRequest;
  /** For the names of the tools that are called. */
  readonly toolNames: Labels;
}

/** Encodes one round. */
export function encode(model: CatalogModel, prompt: Prompt): Encoded {
  const traits = traitsOf(model.upstreamModel);
  const toolNames = createLabels(toolNamesOf(prompt), NAMES);
  const { system, contents } = encodeMessages(prompt, { traits, toolNames });
  const request: WireRequest = { contents, generationConfig: encodeSettings(prompt) };
  if (system.length > 0) request.systemInstruction = { parts: [...system] };
  const tools = encodeTools(prompt, toolNames);
  if (tools !== null) request.tools = [tools];
  const toolConfig = encodeToolConfig(prompt, { traits, toolNames });
  if (toolConfig !== null) request.toolConfig = toolConfig;
  const thinking = encodeThinking(model.thinking, traits);
  if (thinking !== null) request.generationConfig.thinkingConfig = thinking;
  // The provider refuses the two together; a forced model puts out calls alone, so the format would say nothing about them.
  if (!isForced(request)) addFormat(request.generationConfig, prompt);
  return { request, toolNames };
}

function encodeSettings(prompt: Prompt): WireGenerationConfig {
  const { temperature, topP, presencePenalty, frequencyPenalty } = prompt;
  return {
    // Thoughts count towards it. Always sent: what the fit check kept free is what is asked for.
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
  settings.responseJsonSchema = limitSchema(format.schema);
}
