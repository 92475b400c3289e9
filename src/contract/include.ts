// The values of `include`. Only `reasoning.encrypted_content` returns data; the others are listed so that each is
// rejected with a message of its own. @spec endpoints/post-responses
export const INCLUDE_VALUES = [
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
  "message.input_image.image_url",
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
] as const;

export type IncludeValue = (typeof INCLUDE_VALUES)[number];

/** The only value that returns data. */
export const ENCRYPTED_CONTENT: IncludeValue = "reasoning.encrypted_content";
