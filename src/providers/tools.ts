// What the families share about the tools that a prompt offers. @spec resources/tool-function
import type { EchoedTool } from "../contract/tools.ts";
import type { Prompt } from "../core/turn/prompt.ts";

/** Stands for the name of a carried call's tool, which is not sent (docs/interface.md, endpoints/post-responses). */
export const CARRIED_TOOL_NAME = "tool";

/** The tools to offer on a wire that has no word for `allowed_tools`: of such a choice the allowed ones only. */
export function offeredTools({ tools, toolChoice }: Prompt): readonly EchoedTool[] {
  if (typeof toolChoice === "string" || toolChoice.type === "function") return tools;
  const allowed = new Set(toolChoice.tools.map(({ name }) => name));
  return tools.filter(({ name }) => allowed.has(name));
}

/** The names of every tool that a prompt calls or offers. */
export function toolNamesOf({ items, tools }: Prompt): Set<string> {
  const names = new Set(tools.map(({ name }) => name));
  for (const item of items) if (item.type === "call") names.add(item.name ?? CARRIED_TOOL_NAME);
  return names;
}
