// Encodes tools and tool_choice.
import { type EchoedTool, forcesACall } from "../../contract/tools.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { WireNames } from "../wire/wire-names.ts";
import { CARRIED_TOOL_NAME, offeredTools } from "../wire/tools.ts";
import { COMPOSITION_KEYWORDS, describeRootKeywords } from "../wire/tool-schema.ts";
import { encodeSchema } from "./schema.ts";
import type { WireTool, WireToolChoice } from "./wire.ts";

export interface EncodedTools {
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
}

/** Encodes the tools of a prompt, or the placeholder tool that a history with calls requires. */
export function encodeTools(prompt: Prompt, names: WireNames): EncodedTools {
  const offered = offeredTools(prompt);
  if (offered.length > 0) {
    const choice = encodeChoice(prompt, names);
    return {
      tools: offered.map((tool) => encodeTool(tool, names)),
      ...(choice === null ? {} : { tool_choice: choice }),
    };
  }
  const hasCalls = prompt.items.some((item) => item.type === "call");
  return hasCalls ? { tools: [toolOfHistory(names)], tool_choice: { type: "none" } } : {};
}

/** Whether the model has to call a tool. */
export function forcesCall(prompt: Prompt): boolean {
  return forcesACall(prompt.toolChoice) && offeredTools(prompt).length > 0;
}

/** The wire requires a tool if the history has calls. This one is never called. */
function toolOfHistory(names: WireNames): WireTool {
  return {
    name: names.toWire(CARRIED_TOOL_NAME),
    description: "A tool of earlier turns that is no longer available.",
    input_schema: { type: "object", properties: {} },
  };
}

function encodeTool({ name, description, parameters, strict }: EchoedTool, names: WireNames): WireTool {
  const schema = { type: "object", ...(parameters ?? { properties: {} }) };
  // A strict tool takes the keywords of constrained output. No tool takes a choice of schemas at the root.
  const encoded = strict === true ? encodeSchema(strictParameters(parameters)) : schema;
  return {
    name: names.toWire(name),
    ...(description === null ? {} : { description }),
    input_schema: { ...describeRootKeywords(encoded, COMPOSITION_KEYWORDS), type: "object" },
    // The default is not sent: some servers in place of the maker do not know the key.
    ...(strict === true ? { strict } : {}),
  };
}

/** The schema of the parameters of a strict tool: an object without properties where the tool names none. */
export function strictParameters(parameters: JsonObject | null): JsonObject {
  return { type: "object", properties: {}, ...parameters };
}

/** Null for plain `auto`, the wire's default. */
function encodeChoice({ toolChoice, parallelToolCalls }: Prompt, names: WireNames): WireToolChoice | null {
  const parallel = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (typeof toolChoice === "object" && toolChoice.type === "function") {
    return { type: "tool", name: names.toWire(toolChoice.name), ...parallel };
  }
  switch (typeof toolChoice === "string" ? toolChoice : toolChoice.mode) {
    case "none":
      return { type: "none" };
    case "required":
      return { type: "any", ...parallel };
    case "auto":
      return parallelToolCalls === false ? { type: "auto", ...parallel } : null;
    default:
      throw new Error("unknown form of tool_choice");
  }
}
