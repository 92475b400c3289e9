// The history as messages: calls in the assistant's message, all their results at the head of the user's message behind it.
// A round of the turn that is being continued is replayed from its state, thinking and all, instead of from its items.
import type { PromptItem } from "../../core/turn/prompt.ts";
import { encodeArguments } from "./arguments.ts";
import { createLabels, type Labels } from "../labels.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
import { readRoundState, type RoundBlock } from "./round-state.ts";
import { createThread } from "./thread.ts";
import type { WireMessage, WireReasoning, WireText, WireToolUse } from "./wire.ts";

export interface EncodeMessagesOptions {
  readonly takesSystemMessages: boolean;
  /** Labels of every tool that the prompt names, CARRIED_TOOL_NAME included. */
  readonly toolNames: Labels;
}

export interface EncodedMessages {
  /** Texts of the top-level system prompt, in order. */
  readonly system: readonly string[];
  readonly messages: readonly WireMessage[];
}

type Call = PromptItem & { readonly type: "call" };

/** Encodes a history, oldest first. */
export function encodeMessages(items: readonly PromptItem[], options: EncodeMessagesOptions): EncodedMessages {
  const thread = createThread(options.takesSystemMessages);
  const results = new Map<string, string>();
  for (const item of items) {
    if (item.type === "result" && !results.has(item.callId)) results.set(item.callId, item.output);
  }
  // The wire refuses a call without its result, and the other way round.
  const answered = new Map<string, Call>();
  for (const item of items) {
    if (item.type === "call" && results.has(item.callId) && !answered.has(item.callId)) answered.set(item.callId, item);
  }
  const ids = createLabels(answered.keys());

  function encodeCall({ callId, name, arguments: text }: Call): WireToolUse {
    return {
      type: "tool_use",
      id: ids.toWire(callId),
      name: options.toolNames.toWire(name ?? CARRIED_TOOL_NAME),
      input: encodeArguments(text),
    };
  }

  function addResults(calls: readonly Call[]): void {
    thread.addUser(
      calls.map(({ callId }) => {
        const output = results.get(callId) ?? "";
        const id = ids.toWire(callId);
        // Text without a letter is refused; an absent content says the same.
        return { type: "tool_result", tool_use_id: id, ...(isBlank(output) ? {} : { content: output }) };
      }),
    );
  }

  /** Replays a round from its blocks; answers how many of the items behind the state it stands for. */
  function replay(blocks: readonly RoundBlock[], following: readonly PromptItem[]): number {
    // Calls beyond the cap were never heard of by the client: they have no result.
    const kept = blocks.filter((block) => block.type !== "call" || answered.has(block.callId));
    const calls = kept.flatMap((block) => (block.type === "call" ? [answered.get(block.callId) as Call] : []));
    if (calls.length === 0) return 0;
    thread.addAssistant(
      kept.flatMap((block): (WireReasoning | WireText | WireToolUse)[] => {
        if (block.type === "call") return [encodeCall(answered.get(block.callId) as Call)];
        return block.type === "text" && isBlank(block.text) ? [] : [block];
      }),
    );
    addResults(calls);
    return countReplayed(kept, following);
  }

  let index = 0;
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    switch (item.type) {
      case "message":
        if (item.role !== "user") thread.addSystem(item.text);
        // The newest message goes as it is; what is wrong with it is the provider's to say.
        else if (!isBlank(item.text) || index === items.length) thread.addUser([{ type: "text", text: item.text }]);
        break;
      case "answer":
        if (!isBlank(item.text)) thread.addAssistant([{ type: "text", text: item.text }]);
        break;
      case "state": {
        const blocks = readRoundState(item.state);
        if (blocks !== null) index += replay(blocks, items.slice(index));
        break;
      }
      case "call": {
        const run = [item];
        for (let next = items[index]; next?.type === "call"; next = items[++index]) run.push(next);
        const calls = run.filter((call) => answered.get(call.callId) === call);
        if (calls.length === 0) break;
        thread.addAssistant(calls.map(encodeCall));
        addResults(calls);
        break;
      }
      case "result":
        // Placed with its call.
        break;
      default:
        item satisfies never;
    }
  }
  return thread.close();
}

/** How many items, from the first on, are those that the ladder made of these blocks, their results among them. */
function countReplayed(blocks: readonly RoundBlock[], following: readonly PromptItem[]): number {
  const outline = outlineOf(blocks);
  let place = 0;
  let count = 0;
  for (const item of following) {
    if (item.type === "result") {
      if (!outline.some((step) => step.callId === item.callId)) break;
    } else if (item.type === "call") {
      const found = outline.findIndex((step, at) => at >= place && step.callId === item.callId);
      if (found === -1) break;
      place = found + 1;
    } else if (item.type === "answer") {
      const found = outline.findIndex(
        (step, at) => at >= place && step.callId === null && step.text.startsWith(item.text),
      );
      const step = outline[found];
      if (step === undefined) break;
      place = found;
      step.text = step.text.slice(item.text.length);
    } else break;
    count++;
  }
  return count;
}

/** An item of a round's output: a call, or a message's text as far as it has not been met. */
interface OutlineStep {
  readonly callId: string | null;
  text: string;
}

/** The items that blocks became: texts join into one message until a call or a thought parts them. */
function outlineOf(blocks: readonly RoundBlock[]): readonly OutlineStep[] {
  const outline: OutlineStep[] = [];
  let message: OutlineStep | null = null;
  for (const block of blocks) {
    if (block.type === "text") {
      if (message === null) outline.push((message = { callId: null, text: "" }));
      message.text += block.text;
      continue;
    }
    message = null;
    if (block.type === "call") outline.push({ callId: block.callId, text: "" });
  }
  return outline;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
