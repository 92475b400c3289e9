// Function tools and tool_choice on this wire.
import { type EchoedTool, forcesACall } from "../../contract/tools.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { JsonRecord } from "../json-shape.ts";
import type { Labels } from "../labels.ts";
import { offeredTools } from "../tools.ts";
import type { ModelTraits } from "./model-traits.ts";
import { limitSchema } from "./schema.ts";

export interface WireTools {
  readonly functionDeclarations: WireFunction[];
}

interface WireFunction {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: JsonRecord;
}

export interface WireToolConfig {
  readonly functionCallingConfig: {
    readonly mode: "NONE" | "ANY" | "VALIDATED";
    readonly allowedFunctionNames?: string[];
  };
}

/** The declarations; null when there is none. */
export function encodeTools(prompt: Prompt, toolNames: Labels): WireTools | null {
  const declared = declaredTools(prompt);
  return declared.length === 0 ? null : { functionDeclarations: declared.map((tool) => encodeTool(tool, toolNames)) };
}

/** What of the tools may be called; null for what holds without a word, `auto`. */
export function encodeToolConfig(
  prompt: Prompt,
  { traits, toolNames }: { readonly traits: ModelTraits; readonly toolNames: Labels },
): WireToolConfig | null {
  const declared = declaredTools(prompt);
  if (declared.length === 0) return null;
  const { toolChoice } = prompt;
  if (toolChoice === "none") return config("NONE");
  if (toolChoice === "required") return config("ANY");
  if (typeof toolChoice === "object") {
    if (toolChoice.type === "function") return config("ANY", [toolNames.toWire(toolChoice.name)]);
    if (toolChoice.mode === "required") {
      return config("ANY", [...new Set(toolChoice.tools.map(({ name }) => toolNames.toWire(name)))]);
    }
  }
  // `strict` has no field of its own: this mode is its meaning.
  return traits.validatesCalls && declared.some(({ strict }) => strict === true) ? config("VALIDATED") : null;
}

/** Whether the model can answer by calls only. */
export function isForced({ toolConfig }: { readonly toolConfig?: WireToolConfig }): boolean {
  return toolConfig?.functionCallingConfig.mode === "ANY";
}

/** Of `allowed_tools` in mode `auto` the allowed ones are offered: names are a matter of mode ANY. */
function declaredTools(prompt: Prompt): readonly EchoedTool[] {
  return forcesACall(prompt.toolChoice) ? prompt.tools : offeredTools(prompt);
}

function config(mode: "NONE" | "ANY" | "VALIDATED", names?: string[]): WireToolConfig {
  return { functionCallingConfig: { mode, ...(names === undefined ? {} : { allowedFunctionNames: names }) } };
}

function encodeTool({ name, description, parameters }: EchoedTool, toolNames: Labels): WireFunction {
  return {
    name: toolNames.toWire(name),
    ...(description === null ? {} : { description }),
    // A function without parameters leaves them out.
    ...(parameters === null ? {} : { parametersJsonSchema: limitSchema(parameters) }),
  };
}
