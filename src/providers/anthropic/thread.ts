// Builds messages in the order that the wire requires: user first and last, alternating, system messages only where
// they are allowed.
import { CLOSING, OPENING } from "../wire/filler-words.ts";
import type { WireMessage, WireReasoning, WireText, WireToolResult, WireToolUse } from "./wire.ts";

type UserBlock = WireToolResult | WireText;
type AssistantBlock = WireReasoning | WireText | WireToolUse;

type OpenMessage =
  | { readonly role: "user"; readonly content: UserBlock[] }
  | { readonly role: "assistant"; readonly content: AssistantBlock[] }
  | { readonly role: "system"; readonly content: string };

export interface EncodedMessages {
  /** Texts of the top-level system prompt. */
  readonly system: readonly string[];
  readonly messages: readonly WireMessage[];
}

/** Creates a thread; `takesSystemMessages` if the model allows the role `system` in messages. */
export function createThread(takesSystemMessages: boolean) {
  const messages: OpenMessage[] = [];
  const system: string[] = [];
  // A system message must follow a user message, and precede an assistant message or be last. Texts wait for such a
  // place.
  let waiting: string[] = [];

  function placeWaiting(): void {
    if (waiting.length === 0 || messages.at(-1)?.role !== "user") return;
    messages.push({ role: "system", content: waiting.join("\n\n") });
    waiting = [];
  }

  function addUser(blocks: readonly UserBlock[]): void {
    const last = messages.at(-1);
    if (last?.role === "user") for (const block of blocks) last.content.push(block);
    else messages.push({ role: "user", content: [...blocks] });
  }

  return {
    addUser,
    addAssistant(blocks: readonly AssistantBlock[]): void {
      if (messages.length === 0) addUser([{ type: "text", text: OPENING }]);
      placeWaiting();
      const last = messages.at(-1);
      if (last?.role === "assistant") for (const block of blocks) last.content.push(block);
      else messages.push({ role: "assistant", content: [...blocks] });
    },
    addSystem(text: string): void {
      if (takesSystemMessages && messages.length > 0) waiting.push(text);
      else system.push(text);
    },
    /** Ends the thread. */
    close(): EncodedMessages {
      // A final assistant message would be a prefill, which the models reject.
      if (messages.at(-1)?.role !== "user") addUser([{ type: "text", text: CLOSING }]);
      placeWaiting();
      return { system, messages };
    },
  };
}
