/** A hand-written client's knowledge of each wire: the request, and where an event has the text of a delta. */
import type { Family } from "../families.ts";
import { INPUT } from "../load/turn.ts";

interface RawWire {
  /** Path below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: () => object;
  /** The text of an event; undefined when it has none. */
  readonly textOf: (data: string) => string | undefined;
}

const MODEL = "fake-burst";
const BEARER = { authorization: "Bearer none" };
const MESSAGES = [{ role: "user", content: INPUT }];

export const RAW_WIRES: Readonly<Record<Family, RawWire>> = {
  "openai-compatible": {
    path: "/chat/completions",
    headers: BEARER,
    request: () => ({ model: MODEL, messages: MESSAGES, stream: true, stream_options: { include_usage: true } }),
    textOf(data) {
      if (data === "[DONE]") return undefined;
      const { choices } = JSON.parse(data) as {
        readonly choices: readonly { readonly delta: { readonly content?: string } }[];
      };
      return choices[0]?.delta.content;
    },
  },
  anthropic: {
    path: "/v1/messages",
    headers: { "x-api-key": "none", "anthropic-version": "2023-06-01" },
    request: () => ({ model: MODEL, max_tokens: 2000, stream: true, messages: MESSAGES }),
    textOf(data) {
      const event = JSON.parse(data) as { readonly type: string; readonly delta?: { readonly text?: string } };
      return event.type === "content_block_delta" ? event.delta?.text : undefined;
    },
  },
  gemini: {
    path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    headers: { "x-goog-api-key": "none" },
    request: () => ({
      contents: [{ role: "user", parts: [{ text: INPUT }] }],
      generationConfig: { maxOutputTokens: 2000 },
    }),
    textOf(data) {
      const { candidates } = JSON.parse(data) as {
        readonly candidates: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[];
      };
      const text = candidates[0]?.content.parts[0]?.text;
      return text === "" ? undefined : text;
    },
  },
  openai: {
    path: "/responses",
    headers: BEARER,
    request: () => ({
      model: MODEL,
      input: [{ type: "message", role: "user", content: INPUT }],
      stream: true,
      store: false,
    }),
    textOf(data) {
      const event = JSON.parse(data) as { readonly type: string; readonly delta?: string };
      return event.type === "response.output_text.delta" ? event.delta : undefined;
    },
  },
};

/** Claude on Bedrock: the same events, in frames. */
export const BEDROCK_WIRE: RawWire = {
  ...RAW_WIRES.anthropic,
  path: `/model/${MODEL}/invoke-with-response-stream`,
  headers: BEARER,
  request: () => ({ anthropic_version: "bedrock-2023-05-31", max_tokens: 2000, messages: MESSAGES }),
};
