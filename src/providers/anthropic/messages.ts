// Encodes the history as messages: calls in an assistant message, all their results at the start of the next user
// message. A round of the current turn is replayed from its state, with its thinking, instead of from its items.
import type { PromptItem } from "../../core/turn/prompt.ts";
import { encodeArguments } from "../wire/arguments.ts";
import { resultsByCall } from "../wire/calls.ts";
import { createWireNames, type WireNames } from "../wire/wire-names.ts";
import { CARRIED_TOOL_NAME } from "../wire/tools.ts";
import { readRoundState, type RoundBlock } from "./round-state.ts";
import { createThread } from "./thread.ts";
import type { WireMessage, WireReasoning, WireText, WireToolUse } from "./wire.ts";

export interface EncodeMessagesOptions {
  readonly takesSystemMessages: boolean;
  /** Has every tool that the prompt names, and CARRIED_TOOL_NAME. */
  readonly toolNames: WireNames;
}

export interface EncodedMessages {
  /** Texts of the top-level system prompt. */
  readonly system: readonly string[];
  readonly messages: readonly WireMessage[];
}

type Call = PromptItem & { readonly type: "call" };

/** A call that has an output. */
interface Answered {
  /** Unique among the calls; its wire id is made of it. */
  readonly key: string;
  readonly output: string;
}

/** Encodes a history, oldest first. */
export function encodeMessages(items: readonly PromptItem[], options: EncodeMessagesOptions): EncodedMessages {
  const thread = createThread(options.takesSystemMessages);
  const answered = pairCalls(items);
  const ids = createWireNames(Array.from(answered.values(), ({ key }) => key));

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
        // Blank text is rejected; absent content means the same.
        return { type: "tool_result", tool_use_id: ids.toWire(key), ...(isBlank(output) ? {} : { content: output }) };
      }),
    );
  }

  /** Replays a round from its blocks. Returns the number of items after the state that it replaces. */
  function replay(blocks: readonly RoundBlock[], following: readonly PromptItem[]): number {
    const calls: Answered[] = [];
    const kept: RoundBlock[] = [];
    // The first of the calls with the same id.
    const byId = new Map<string, Call>();
    for (const item of following) if (item.type === "call" && !byId.has(item.callId)) byId.set(item.callId, item);
    const content: (WireReasoning | WireText | WireToolUse)[] = [];
    for (const block of blocks) {
      if (block.type !== "call") {
        kept.push(block);
        if (block.type !== "text" || !isBlank(block.text)) content.push(block);
        continue;
      }
      const call = byId.get(block.callId);
      const own = call === undefined ? undefined : answered.get(call);
      // Calls beyond the cap were never sent to the client, so they have no output.
      if (call === undefined || own === undefined) continue;
      kept.push(block);
      content.push(encodeCall(call, own));
      calls.push(own);
    }
    if (calls.length === 0) return 0;
    // Trailing thinking led to a call that is left out, or to nothing. The wire rejects it at the end of a message.
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
          // The newest message is sent even if blank, so that the provider reports the error.
          if (!isBlank(item.text) || index === items.length) thread.addUser([{ type: "text", text: item.text }]);
        } else if (!isBlank(item.text)) thread.addSystem(item.text);
        break;
      case "assistant":
        if (!isBlank(item.text)) thread.addAssistant([{ type: "text", text: item.text }]);
        break;
      case "state": {
        const blocks = readRoundState(item.state);
        if (blocks !== null) index += replay(blocks, roundAt(items, index));
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

/** The items from an index on that may belong to one round: up to the next round's state, or the next message. */
function roundAt(items: readonly PromptItem[], start: number): readonly PromptItem[] {
  let end = start;
  while (end < items.length && items[end]?.type !== "state" && items[end]?.type !== "message") end++;
  return items.slice(start, end);
}

/**
 * The calls that have a result, each with its own: the wire rejects one without the other. It also rejects repeated
 * ids, and some clients and servers number their calls from one in every round.
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
    // Ids never contain U+0000, so the key is unique.
    answered.set(item, { key: count === 0 ? callId : `${callId}\0${count}`, output });
  }
  return answered;
}

/** The number of leading items that the blocks became, with their results. */
function countReplayed(blocks: readonly RoundBlock[], following: readonly PromptItem[]): number {
  const outline = outlineOf(blocks);
  const callIds = new Set(outline.flatMap(({ callId }) => callId ?? []));
  let place = 0;
  let count = 0;
  for (const item of following) {
    if (item.type === "result") {
      if (!callIds.has(item.callId)) break;
    } else if (item.type === "call") {
      // Here text that ended the round precedes its calls.
      if (!callIds.has(item.callId)) break;
    } else if (item.type === "assistant") {
      while (place < outline.length && !continuesWith(outline[place], item.text)) place++;
      const step = outline[place];
      if (step === undefined) break;
      step.text = step.text.slice(item.text.length);
    } else break;
    count++;
  }
  return count;
}

function continuesWith(step: OutlineStep | undefined, text: string): boolean {
  return step?.callId === null && step.text.startsWith(text);
}

/** One output item of a round: a call, or the part of a message's text that is not matched yet. */
interface OutlineStep {
  readonly callId: string | null;
  text: string;
}

/** The items that the blocks became. Neighbouring texts are one message; a call or thinking ends it. */
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

/** Whether a block is thinking, readable or redacted. */
export function isReasoning(block: WireReasoning | WireText | WireToolUse): block is WireReasoning {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Whether a text is only white space, which the wire rejects everywhere. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
