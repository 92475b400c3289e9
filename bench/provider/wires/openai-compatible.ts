/** Chat completions. */
import { RESPONSE_TEXT, TOKENS } from "../script.ts";
import type { Wire } from "../wire.ts";

const ENVELOPE = { id: "chatcmpl-bench", created: 1_760_000_000, model: "fake" };
const USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
};

/** The first chunk names the role beside its text. */
export const openAiCompatibleWire: Wire = () => {
  let isFirst = true;
  return {
    opening: () => "",
    delta(content) {
      const delta = isFirst ? { role: "assistant", content } : { content };
      isFirst = false;
      return chunkFrame([{ index: 0, delta, finish_reason: null }]);
    },
    closing: () =>
      `${chunkFrame([{ index: 0, delta: {}, finish_reason: "stop" }])}${chunkFrame([], { usage: USAGE })}data: [DONE]\n\n`,
  };
};

/** A non-streaming response. */
export const instantJson = Buffer.from(
  JSON.stringify({
    ...ENVELOPE,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: RESPONSE_TEXT }, finish_reason: "stop" }],
    usage: USAGE,
  }),
);

function chunkFrame(choices: readonly object[], rest: object = {}): string {
  return `data: ${JSON.stringify({ ...ENVELOPE, object: "chat.completion.chunk", choices, ...rest })}\n\n`;
}
