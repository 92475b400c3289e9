// Encodes the history as messages: calls in an assistant message, all their results at the start of the next user
// message. A round of the current turn is replayed from its state, with its thinking, instead of from its items.
import type { PromptItem } from "../../core/response/prompt.ts";
import { encodeArguments } from "../wire/arguments.ts";
import { type Call, resultsByCall } from "../wire/calls.ts";
import { createWireNames, type WireNames } from "../wire/wire-names.ts";
import { itemsOfRound } from "../wire/replay.ts";
import { CARRIED_TOOL_NAME } from "../wire/tools.ts";
import { readRoundState, type RoundBlock } from "./round-state.ts";
import { createThread, type EncodedMessages } from "./thread.ts";
import type { WireReasoning, WireText, WireToolUse } from "./wire.ts";

export interface EncodeMessagesOptions {
  readonly takesSystemMessages: boolean;
  /** Has every tool that the prompt names, and CARRIED_TOOL_NAME. */
  readonly toolNames: WireNames;
}

/** Encodes a history, oldest first. */
export function encodeMessages(items: readonly PromptItem[], options: EncodeMessagesOptions): EncodedMessages {
  const thread = createThread(options.takesSystemMessages);
  const results = resultsByCall(items);
  const ids = createWireNames(items.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
  /** Items that a replayed round includes. */
  const replayed = new Set<PromptItem>();

  function encodeCall(call: Call): WireToolUse {
    return {
      type: "tool_use",
      id: ids.toWire(call.callId),
      name: options.toolNames.toWire(call.name ?? CARRIED_TOOL_NAME),
      input: encodeArguments(call.arguments),
    };
  }

  function addResults(calls: readonly Call[]): void {
    thread.addUser(
      calls.map(({ callId }) => {
        const output = results.get(callId) ?? "";
        // Blank text is rejected; absent content means the same.
        const content = isBlank(output) ? {} : { content: output };
        return { type: "tool_result", tool_use_id: ids.toWire(callId), ...content };
      }),
    );
  }

  /** Replays a round from its blocks, without the calls that were never sent to the client, which have no output. */
  function replay(blocks: readonly RoundBlock[], callIds: ReadonlyMap<string, string>, start: number): void {
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
    const { calls, texts } = itemsOfRound({ callIds: callIds.values(), text }, items, start);
    const sent: Call[] = [];
    const content: (WireReasoning | WireText | WireToolUse)[] = [];
    for (const block of blocks) {
      if (block.type !== "call") {
        if (block.type !== "text" || !isBlank(block.text)) content.push(block);
        continue;
      }
      const call = calls.get(callIds.get(block.callId) ?? "");
      if (call === undefined) continue;
      content.push(encodeCall(call));
      sent.push(call);
    }
    if (sent.length === 0) return;
    for (const item of [...sent, ...texts]) replayed.add(item);
    // Trailing thinking led to a call that is left out, or to nothing. The wire rejects it at the end of a message.
    thread.addAssistant(content.slice(0, content.findLastIndex((block) => !isReasoning(block)) + 1));
    addResults(sent);
  }

  let index = 0;
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    if (replayed.has(item)) continue;
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
        if (blocks !== null) replay(blocks, item.callIds, index);
        break;
      }
      case "call": {
        const run = [item];
        for (let next = items[index]; next?.type === "call" && !replayed.has(next); next = items[++index])
          run.push(next);
        thread.addAssistant(run.map(encodeCall));
        addResults(run);
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

/** Whether a block is thinking, readable or redacted. */
export function isReasoning(block: WireReasoning | WireText | WireToolUse): block is WireReasoning {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Whether a text is only white space, which the wire rejects everywhere. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
