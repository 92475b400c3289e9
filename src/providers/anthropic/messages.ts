// The history as messages: calls in the assistant's message, all their results at the head of the user's message behind it.
// A round of the turn that is being continued is replayed from its state, thinking and all, instead of from its items.
import type { PromptItem } from "../../core/turn/prompt.ts";
import { encodeArguments } from "../arguments.ts";
import { resultsByCall } from "../calls.ts";
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

/** What is known of a call that is sent. */
interface Answered {
  /** Stands for its id. */
  readonly key: string;
  readonly output: string;
}

/** Encodes a history, oldest first. */
export function encodeMessages(items: readonly PromptItem[], options: EncodeMessagesOptions): EncodedMessages {
  const thread = createThread(options.takesSystemMessages);
  const answered = pairCalls(items);
  const ids = createLabels(Array.from(answered.values(), ({ key }) => key));

  function encodeCall(call: Call, { key }: Answered): WireToolUse {
    return {
      type: "tool_use",
      id: ids.toWire(key),
      name: options.toolNames.toWire(call.name ?? CARRIED_TOOL_NAME),
      input: encodeArguments(call.arguments),
    };
  }

  function addResults(calls: readonly Answered[]): void {
    thread.addUser(
      calls.map(({ key, output }) => {
        // Text without a letter is refused; an absent content says the same.
        return { type: "tool_result", tool_use_id: ids.toWire(key), ...(isBlank(output) ? {} : { content: output }) };
      }),
    );
  }

  /** Replays a round from its blocks; answers how many of the items behind the state it stands for. */
  function replay(blocks: readonly RoundBlock[], following: readonly PromptItem[]): number {
    const calls: Answered[] = [];
    const kept: RoundBlock[] = [];
    const content: (WireReasoning | WireText | WireToolUse)[] = [];
    for (const block of blocks) {
      if (block.type !== "call") {
        kept.push(block);
        if (block.type !== "text" || !isBlank(block.text)) content.push(block);
        continue;
      }
      const call = following.find((item) => item.type === "call" && item.callId === block.callId) as Call | undefined;
      const own = call === undefined ? undefined : answered.get(call);
      // Calls beyond the cap were never heard of by the client: they have no result.
      if (call === undefined || own === undefined) continue;
      kept.push(block);
      content.push(encodeCall(call, own));
      calls.push(own);
    }
    if (calls.length === 0) return 0;
    // What was thought last led to a call that is left out, or to nothing: the wire refuses it as an answer's end.
    thread.addAssistant(content.slice(0, content.findLastIndex((block) => !isReasoning(block)) + 1));
    addResults(calls);
    return countReplayed(kept, following);
  }

  let index = 0;
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    switch (item.type) {
      case "message":
        if (item.role === "user") {
          // The newest message goes as it is; what is wrong with it is the provider's to say.
          if (!isBlank(item.text) || index === items.length) thread.addUser([{ type: "text", text: item.text }]);
        } else if (!isBlank(item.text)) thread.addSystem(item.text);
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
        const kept = run.flatMap((call) => {
          const own = answered.get(call);
          return own === undefined ? [] : [{ call, own }];
        });
        if (kept.length === 0) break;
        thread.addAssistant(kept.map(({ call, own }) => encodeCall(call, own)));
        addResults(kept.map(({ own }) => own));
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

/**
 * The calls that have a result, each with its own: the wire refuses one without the other. It refuses an id that is used twice too, and
 * clients and some servers count theirs from one again.
 */
function pairCalls(items: readonly PromptItem[]): ReadonlyMap<Call, Answered> {
  const results = resultsByCall(items);
  const counts = new Map<string, number>();
  const answered = new Map<Call, Answered>();
  for (const item of items) {
    if (item.type !== "call") continue;
    const { callId } = item;
    const output = results.get(callId)?.shift();
    if (output === undefined) continue;
    const count = counts.get(callId) ?? 0;
    counts.set(callId, count + 1);
    // No id holds this character: a key is nobody else's.
    answered.set(item, { key: count === 0 ? callId : `${callId}\0${count}`, output });
  }
  return answered;
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
      // The text that the round ended with stands before its calls here.
      if (!outline.some((step) => step.callId === item.callId)) break;
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

/** Whether a block is a thought, in words or hidden. */
export function isReasoning(block: WireReasoning | WireText | WireToolUse): block is WireReasoning {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Whether a text has no letter: the wire refuses it in any place. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
