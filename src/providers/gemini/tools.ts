// Encodes tools and tool_choice.
import { type EchoedTool, forcesACall } from "../../contract/tools.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { JsonObject } from "../../base/json.ts";
import type { WireNames } from "../wire/wire-names.ts";
import { offeredTools } from "../wire/tools.ts";
import type { ModelTraits } from "./model-traits.ts";
import { limitSchema } from "./schema.ts";

export interface WireTools {
  readonly functionDeclarations: WireFunction[];
}

interface WireFunction {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: JsonObject;
}

export interface WireToolConfig {
  readonly functionCallingConfig: {
    readonly mode: "NONE" | "ANY" | "VALIDATED";
    readonly allowedFunctionNames?: string[];
  };
}

/** Encodes the declarations; null if there are none. */
export function encodeTools(prompt: Prompt, toolNames: WireNames): WireTools | null {
  const declared = declaredTools(prompt);
  return declared.length === 0 ? null : { functionDeclarations: declared.map((tool) => encodeTool(tool, toolNames)) };
}

/** Encodes which tools may be called; null for `auto`, the default. */
export function encodeToolConfig(
  prompt: Prompt,
  { traits, toolNames }: { readonly traits: ModelTraits; readonly toolNames: WireNames },
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
  // This mode is the equivalent of `strict`.
  return traits.validatesCalls && declared.some(({ strict }) => strict === true) ? config("VALIDATED") : null;
}

/** The tools to declare. For `allowed_tools` in mode `auto` only the allowed ones, since names require mode ANY. */
function declaredTools(prompt: Prompt): readonly EchoedTool[] {
  return forcesACall(prompt.toolChoice) ? prompt.tools : offeredTools(prompt);
}

function config(mode: "NONE" | "ANY" | "VALIDATED", names?: string[]): WireToolConfig {
  return { functionCallingConfig: { mode, ...(names === undefined ? {} : { allowedFunctionNames: names }) } };
}

function encodeTool({ name, description, parameters }: EchoedTool, toolNames: WireNames): WireFunction {
  return {
    name: toolNames.toWire(name),
    ...(description === null ? {} : { description }),
    ...(parameters === null ? {} : { parametersJsonSchema: limitSchema(parameters) }),
  };
}
