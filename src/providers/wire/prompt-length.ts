// Recognises the rejection of a prompt that is longer than the model's context window, on every wire.
// @spec errors/failed-responses; docs/wire.md (Provider failures)

/** Codes and types of such errors; the last one is about a whole body. */
const WORDS: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "contextwindowexceedederror",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "request_too_large",
]);

/**
 * Servers without such a code say it in a sentence. It is matched at the very start of the message, where a client's
 * words never appear.
 */
const SENTENCES = new RegExp(
  `^(?:${[
    "(?:the )?prompt is too long",
    "input length and `?max_tokens`? exceed context limit",
    "input is too long",
    "(?:unable to submit request because )?the input token count\\b.{0,80} (?:exceeds? the maximum|but model only supports)",
    "prompt token count of \\d+ exceeds the limit",
    "requested token count exceeds the model's maximum context length",
    "your input exceeds the context window",
    "this (?:model|endpoint)'s maximum (?:context|prompt) length is",
    "(?:'max_tokens' or 'max_completion_tokens'|`?max_tokens`?) is too large: \\d+\\. this model's maximum context",
    "you passed \\d+ input (?:tokens|characters)",
    "the decoder prompt \\(length \\d+\\) is longer than the maximum model length",
    "the input \\(\\d+ tokens\\) is longer than the model's context length",
    "input length .{0,80}exceeds",
    "(?:the )?request .{0,40}exceeds the available context size",
    "requested tokens \\(\\d+\\) exceed context window",
    "the number of tokens to keep from the initial prompt is greater than the context length",
    "trying to keep the first \\d+ tokens when context the overflows",
    "the input length exceeds the context length",
    "context size has been exceeded",
    "(?:input validation error: )?`inputs` ",
    "prompt contains \\d+ tokens",
    "too many tokens: ",
    "range of input length should be",
    "invalid request: your request exceeded model token limit",
    "prompt exceeds max length",
    "context window exceeds limit",
    "litellm\\.contextwindowexceedederror",
  ].join("|")})`,
  "i",
);

/** Whether an error of the client's request says that the prompt is too long; `status` is that of the response. */
export function saysPromptTooLong(
  status: number,
  { words, message }: { readonly words: readonly string[]; readonly message: string | null },
): boolean {
  return status === 413 || words.some((word) => WORDS.has(word.toLowerCase())) || SENTENCES.test(message ?? "");
}
