/**
 * The Responses events of a plain text turn by string concatenation: the minimum that a translating gateway has to
 * write.
 */
import { randomBytes } from "node:crypto";

export interface TurnNames {
  readonly responseId: string;
  readonly itemId: string;
  readonly model: string;
  readonly createdAt: number;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** The ids of a new turn. */
export function mintNames(model: string): TurnNames {
  const random = randomBytes(24).toString("hex");
  return {
    responseId: `resp_${random.slice(0, 24)}`,
    itemId: `msg_${random.slice(24)}`,
    model,
    createdAt: Math.floor(Date.now() / 1000),
  };
}

/** The response object as JSON; `text` is null for a running turn. */
export function responseJson(names: TurnNames, text: string | null, tokens: Tokens | null): string {
  return JSON.stringify({
    id: names.responseId,
    object: "response",
    status: text === null ? "in_progress" : "completed",
    created_at: names.createdAt,
    completed_at: text === null ? null : names.createdAt,
    background: false,
    conversation: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: null,
    model: names.model,
    output: text === null ? [] : [message(names, text)],
    parallel_tool_calls: true,
    presence_penalty: 0,
    frequency_penalty: 0,
    temperature: 1,
    top_p: 1,
    top_logprobs: 0,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: null,
    safety_identifier: null,
    service_tier: "default",
    store: true,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    truncation: "disabled",
    usage: tokens === null ? undefined : usage(tokens),
  });
}

/** Writes the frames of one turn with their numbers. Each method returns the text of its frames. */
export class FrameWriter {
  readonly #names: TurnNames;
  readonly #isObfuscated: boolean;
  readonly #deltaPlace: string;
  #sequence = 0;

  constructor(names: TurnNames, isObfuscated: boolean) {
    this.#names = names;
    this.#isObfuscated = isObfuscated;
    this.#deltaPlace = `,"item_id":"${names.itemId}","output_index":0,"content_index":0,`;
  }

  opening(): string {
    const response = `"response":${responseJson(this.#names, null, null)}`;
    const item = JSON.stringify({
      id: this.#names.itemId,
      type: "message",
      status: "in_progress",
      role: "assistant",
      content: [],
    });
    return (
      this.#frame("response.created", `,${response}`) +
      this.#frame("response.in_progress", `,${response}`) +
      this.#frame("response.output_item.added", `,"output_index":0,"item":${item}`) +
      this.#frame("response.content_part.added", `${this.#deltaPlace}"part":${JSON.stringify(part(""))}`)
    );
  }

  delta(text: string): string {
    const json = JSON.stringify(text);
    const padding = this.#isObfuscated ? `,"obfuscation":"${obfuscation(json.length - 2)}"` : "";
    return this.#frame("response.output_text.delta", `${this.#deltaPlace}"delta":${json},"logprobs":[]${padding}`);
  }

  closing(text: string, response: string): string {
    return (
      this.#frame("response.output_text.done", `${this.#deltaPlace}"text":${JSON.stringify(text)},"logprobs":[]`) +
      this.#frame("response.content_part.done", `${this.#deltaPlace}"part":${JSON.stringify(part(text))}`) +
      this.#frame(
        "response.output_item.done",
        `,"output_index":0,"item":${JSON.stringify(message(this.#names, text))}`,
      ) +
      this.#frame("response.completed", `,"response":${response}`)
    );
  }

  #frame(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++}${fields}}\n\n`;
  }
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Random text from which paddings are cut: new random characters would cost more than the delta. */
const POOL = Array.from(randomBytes(4096), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
let poolAt = 0;

/** Padding up to a multiple of 16 characters; never empty. */
function obfuscation(length: number): string {
  const size = 16 - (length % 16);
  if (poolAt + size > POOL.length) poolAt = 0;
  return POOL.slice(poolAt, (poolAt += size));
}

function message(names: TurnNames, text: string): object {
  return { id: names.itemId, type: "message", status: "completed", role: "assistant", content: [part(text)] };
}

function part(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function usage(tokens: Tokens): object {
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  };
}
