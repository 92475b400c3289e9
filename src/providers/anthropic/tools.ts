// Tools and the choice among them.
import { type EchoedTool, forcesACall } from "../../contract/tools.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { Labels } from "../labels.ts";
import { CARRIED_TOOL_NAME, offeredTools } from "../tools.ts";
import { CHOICES, tellRoot } from "../tool-schema.ts";
import { encodeSchema } from "./schema.ts";
import type { WireTool, WireToolChoice } from "./wire.ts";

export interface EncodedTools {
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
}

/** Encodes the tools of a prompt; of one without tools only what its history asks for. */
export function encodeTools(prompt: Prompt, names: Labels): EncodedTools {
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

/** Whether a prompt leaves the model no way but to call a tool. */
export function forcesCall(prompt: Prompt): boolean {
  return forcesACall(prompt.toolChoice) && offeredTools(prompt).length > 0;
}

/** A request whose history holds calls must define a tool; nobody is to call this one. */
function toolOfHistory(names: Labels): WireTool {
  return {
    name: names.toWire(CARRIED_TOOL_NAME),
    description: "A tool of earlier turns that is no longer there.",
    input_schema: { type: "object", properties: {} },
  };
}

function encodeTool({ name, description, parameters, strict }: EchoedTool, names: Labels): WireTool {
  const schema = { type: "object", ...(parameters ?? { properties: {} }) };
  return {
    name: names.toWire(name),
    ...(description === null ? {} : { description }),
    // A strict tool is held to its schema the way constrained output is, so it takes the same keywords. No other tool takes a choice
    // of schemas at its root.
    input_schema: { ...(strict === true ? encodeSchema(schema) : tellRoot(schema, CHOICES)), type: "object" },
    ...(strict === null ? {} : { strict }),
  };
}

/** Null for `auto` alone: what holds when tools are sent without a choice. */
function encodeChoice({ toolChoice, parallelToolCalls }: Prompt, names: Labels): WireToolChoice | null {
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
      throw new Error("a tool_choice of no known form");
  }
}
