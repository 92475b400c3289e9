// Cache points of a request: the blocks up to which Anthropic caches the prompt. docs/providers/anthropic.md (Caching)
import { isBlank } from "./messages.ts";
import type { WireMessage, WireRequest, WireTool } from "./wire.ts";

/** Anthropic rejects a request with more. */
const POINTS_MAX = 4;

const POINT = { cache_control: { type: "ephemeral" } } as const;

type Cacheable = Pick<WireRequest, "system" | "tools" | "messages">;

/**
 * Marks what the next requests share with this one: tools and instructions, and, if a longer prompt is likely to
 * follow, the messages up to its end. A marked block is found again by a request that has a point at most 20 blocks
 * behind it, so earlier points are repeated where a turn may have added more.
 */
export function placeCachePoints({ system, tools, messages }: Cacheable): Cacheable {
  const continues = tools !== undefined || messages.some(({ role }) => role === "assistant");
  const points = continues ? pointsIn(messages) : [];
  const hasSystem = typeof system === "string";
  // A point behind the instructions covers the tools. One of their own serves requests with other instructions.
  const marksTools = tools !== undefined && points.length + (hasSystem ? 1 : 0) < POINTS_MAX;
  return {
    ...(hasSystem ? { system: [{ type: "text", text: system, ...POINT }] } : {}),
    ...(tools === undefined ? {} : { tools: marksTools ? markLast(tools) : tools }),
    messages: messages.map((message, at) => (points.includes(at) ? markEnd(message) : message)),
  };
}

/**
 * Positions of three messages of the user: the last one; the one before it, where the previous request of a turn with
 * tools ended; and before both the newest with a text, where a turn began. Later turns are sent without the thinking
 * between the calls of that turn, so they share its prompt up to there only.
 */
function pointsIn(messages: readonly WireMessage[]): readonly number[] {
  const ofUser = messages.flatMap((message, at) => (message.role === "user" ? [{ content: message.content, at }] : []));
  const begin = ofUser.slice(0, -2).findLast(({ content }) => content.some(({ type }) => type === "text"));
  return [...(begin === undefined ? [] : [begin]), ...ofUser.slice(-2)].map(({ at }) => at);
}

function markEnd(message: WireMessage): WireMessage {
  if (message.role !== "user") return message;
  const { content } = message;
  const last = content.at(-1);
  // The wire takes no point on a blank text.
  if (last === undefined || (last.type === "text" && isBlank(last.text))) return message;
  return { ...message, content: [...content.slice(0, -1), { ...last, ...POINT }] };
}

function markLast(tools: readonly WireTool[]): readonly WireTool[] {
  return tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...POINT } : tool));
}
