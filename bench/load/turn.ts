/** The requests of a turn in the format of each gateway: 3.4 KB of body. */
import type { RequestParts } from "./request.ts";

/** Characters of the user's text; the whole body has 3.4 KB. */
const INPUT_CHARACTERS = 3300;
const SENTENCE = "The quick brown fox jumps over the lazy dog while the band plays on. ";
/** The text of every turn. */
export const INPUT = SENTENCE.repeat(Math.ceil(INPUT_CHARACTERS / SENTENCE.length)).slice(0, INPUT_CHARACTERS);

export interface TurnOptions {
  /** One of the fake's, or the name of a model with targets. */
  readonly model: string;
  readonly isStream: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A turn in the Responses format: Turngate, TRANS and STORING. */
export function responsesTurn({ model, isStream, headers = {} }: TurnOptions): RequestParts {
  return {
    method: "POST",
    path: "/v1/responses",
    headers,
    body: { model: `bench/${model}`, input: INPUT, stream: isStream },
  };
}

/** The same turn as a chat completion: the provider, PASS and Portkey. */
export function chatTurn({ model, isStream, headers = {} }: TurnOptions): RequestParts {
  const messages = [{ role: "user", content: INPUT }];
  const streaming = isStream ? { stream: true, stream_options: { include_usage: true } } : {};
  return { method: "POST", path: "/v1/chat/completions", headers, body: { model, messages, ...streaming } };
}
