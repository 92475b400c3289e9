// The demands of every provider on a prompt: it is encoded for each family and checked by the rules of its strict fake.
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { Prompt } from "../../src/core/response/prompt.ts";
import { encode as encodeAnthropic } from "../../src/providers/anthropic/encode.ts";
import { encode as encodeGemini } from "../../src/providers/gemini/encode.ts";
import { encode as encodeOpenAi } from "../../src/providers/openai/encode.ts";
import { encode as encodeChat } from "../../src/providers/openai-compatible/encode.ts";
import { checkBody as checkGemini } from "../support/gemini-rules.ts";
import type { Loose } from "../support/http-client.ts";
import { checkRequest as checkAnthropic } from "../support/messages-rules.ts";
import { checkBody as checkOpenAi } from "../support/responses-rules.ts";
import { testModel } from "../support/service-config.ts";

const HEADERS = { "x-api-key": "key", "anthropic-version": "2026-10-21" };

/** The check of a request, for each family. */
const FAMILIES: readonly (readonly [string, (model: CatalogModel, prompt: Prompt) => string | null])[] = [
  ["claude-opus-5", (model, prompt) => messageOf(checkAnthropic(HEADERS, sent(encodeAnthropic(model, prompt)), "key"))],
  [
    "claude-haiku-4-5",
    (model, prompt) => messageOf(checkAnthropic(HEADERS, sent(encodeAnthropic(model, prompt)), "key")),
  ],
  ["gemini-3.8-flash", (model, prompt) => checkGemini(model.upstreamModel, sent(encodeGemini(model, prompt)))],
  ["gpt-6.1-terra", (model, prompt) => checkOpenAi(sent(encodeOpenAi(model, prompt, "cache")))],
  ["mistral-large", (model, prompt) => checkResponsesOf(sent(encodeChat(model, prompt)).messages)],
];

/** The reason why a provider would reject a prompt; null: none would. */
export function rejectedBy(prompt: Prompt): string | null {
  for (const [upstreamModel, check] of FAMILIES) {
    const message = check(testModel(upstreamModel, { upstreamModel }), prompt);
    if (message !== null) return `${upstreamModel}: ${message}`;
  }
  return null;
}

/** A request as it is on the wire. */
function sent({ request }: { readonly request: object }): Loose {
  return JSON.parse(JSON.stringify(request));
}

function messageOf({ error }: ReturnType<typeof checkAnthropic>): string | null {
  return error?.message ?? null;
}

/** The order of roles that the chat templates of Mistral's and Gemma's models require. */
function checkResponsesOf(messages: readonly Loose[]): string | null {
  let before = "start";
  let owed = 0;
  for (const [at, { role, tool_calls: calls = [] }] of messages.entries()) {
    const isFree = owed === 0;
    const fits: Readonly<Record<string, boolean>> = {
      system: at === 0,
      user: isFree && ["start", "system", "assistant"].includes(before),
      assistant: isFree && ["user", "tool"].includes(before),
      tool: owed > 0,
    };
    if (fits[role] !== true) return `messages.${at}: a ${role} after ${before}`;
    owed = role === "tool" ? owed - 1 : calls.length;
    before = role;
  }
  return owed === 0 && ["user", "tool"].includes(before) ? null : `ends with ${before}`;
}
