/** Anthropic Messages. */
import { TOKENS } from "../script.ts";
import type { Wire } from "../wire.ts";

const MESSAGE = {
  model: "fake",
  id: "msg_bench",
  type: "message",
  role: "assistant",
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const INPUT_USAGE = { input_tokens: TOKENS.input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropicWire: Wire = () => ({
  opening: () =>
    eventFrame("message_start", { message: { ...MESSAGE, usage: { ...INPUT_USAGE, output_tokens: 1 } } }) +
    eventFrame("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
    eventFrame("ping", {}),
  delta: (text) => eventFrame("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
  closing: () =>
    eventFrame("content_block_stop", { index: 0 }) +
    eventFrame("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { ...INPUT_USAGE, output_tokens: TOKENS.output },
    }) +
    eventFrame("message_stop", {}),
});

function eventFrame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
