// Messages as this wire wants them: a user's first, then in turns, a user's last; system messages only where they may stand.
import { CLOSING, OPENING } from "../filler-words.ts";
import type { WireMessage, WireReasoning, WireText, WireToolResult, WireToolUse } from "./wire.ts";

type UserBlock = WireToolResult | WireText;
type AssistantBlock = WireReasoning | WireText | WireToolUse;

export interface Thread {
  addUser(blocks: readonly UserBlock[]): void;
  addAssistant(blocks: readonly AssistantBlock[]): void;
  addSystem(text: string): void;
  /** Ends the thread. `system` are the texts that belong above all messages. */
  close(): { readonly system: readonly string[]; readonly messages: readonly WireMessage[] };
}

type OpenMessage =
  | { readonly role: "user"; readonly content: UserBlock[] }
  | { readonly role: "assistant"; readonly content: AssistantBlock[] }
  | { readonly role: "system"; readonly content: string };

/** A thread; `takesSystemMessages` says whether the model knows them among the messages. */
export function createThread(takesSystemMessages: boolean): Thread {
  const messages: OpenMessage[] = [];
  const system: string[] = [];
  // A system message must follow a user's and precede an assistant's, or be the last: it waits for such a place.
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
    addAssistant(blocks) {
      if (messages.length === 0) addUser([{ type: "text", text: OPENING }]);
      placeWaiting();
      const last = messages.at(-1);
      if (last?.role === "assistant") for (const block of blocks) last.content.push(block);
      else messages.push({ role: "assistant", content: [...blocks] });
    },
    addSystem(text) {
      if (takesSystemMessages && messages.length > 0) waiting.push(text);
      else system.push(text);
    },
    close() {
      // An assistant's message at the end would be a beginning to go on with, which the models refuse.
      if (messages.at(-1)?.role !== "user") addUser([{ type: "text", text: CLOSING }]);
      placeWaiting();
      return { system, messages };
    },
  };
}
