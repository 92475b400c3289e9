// The expected parts of streams that call several tools under one index or id, and of those with fields that come back with the results.
import type { FoldedParts } from "../support/provider-samples.ts";

const ended = { usage: { input: 10, output: 5, cached: 0, reasoning: 0 }, incompleteReason: null };
const counts = (input: number, output: number, cached = 0, reasoning = 0) => ({ input, output, cached, reasoning });
const call = (callId: string, callArguments: string, name = "a") => ({
  callId,
  name,
  arguments: callArguments,
  isFinished: true,
});
const one = call("c", '{"x":1}');
const SIGNED = { c: { extra_content: { google: { thought_signature: "SIG" } } } };

export const RETURNED: readonly (readonly [name: string, folded: Partial<FoldedParts>])[] = [
  ["bent-index-zero-in-turns", { calls: [one, call("d", '{"y":2}')], ...ended }],
  ["bent-ids-drift", { calls: [one, call("d", '{"y":2}')], ...ended }],
  ["bent-call-id-twice", { calls: [one, call("minted_1", '{"y":2}'), call("minted_2", '{"z":3}')], ...ended }],
  ["bent-call-announced-by-id", { calls: [one], ...ended }],
  ["gemini-signed-call", { calls: [one, call("d", '{"y":2}', "b")], state: { calls: SIGNED }, ...ended }],
  [
    "gemini-signature-alone",
    {
      calls: [one],
      state: { extra_content: { google: { thought_signature: "TXT" } }, calls: SIGNED },
      ...ended,
    },
  ],
  [
    "litellm-thinking-blocks",
    {
      reasoning: ["I look."],
      calls: [one],
      state: {
        reasoning_content: "I look.",
        thinking_blocks: [
          { type: "thinking", thinking: "I look.", signature: "S1" },
          { type: "redacted_thinking", data: "R" },
        ],
        calls: { c: { provider_specific_fields: { thought_signature: "P" } } },
      },
      ...ended,
    },
  ],
  [
    "openrouter-details",
    {
      reasoning: ["Let me."],
      text: "Well.",
      calls: [one],
      state: {
        reasoning: "Let me.",
        reasoning_details: [
          { type: "reasoning.text", text: "Let me.", signature: "S", format: "anthropic-claude-v1", index: 0 },
          { type: "reasoning.encrypted", data: "E", id: "c", format: "google-gemini-v1", index: 1 },
        ],
      },
      ...ended,
    },
  ],
  ["bent-details-only", { reasoning: ["hm"], text: "Sunny", ...ended }],
  [
    "minimax-details-grow",
    {
      reasoning: ["I look."],
      calls: [one],
      state: { reasoning_details: [{ type: "reasoning.text", id: "r", index: 0, text: "I look." }] },
      ...ended,
    },
  ],
  [
    "copilot-reasoning-text",
    {
      reasoning: ["hm"],
      text: "Well.",
      calls: [one],
      state: { reasoning_text: "hm", reasoning_opaque: "OP" },
      ...ended,
    },
  ],
  [
    "document-signed-call",
    {
      reasoning: ["One.Two."],
      calls: [one],
      state: {
        reasoning_details: [
          { type: "reasoning.text", text: "One." },
          { type: "reasoning.text", text: "Two." },
        ],
        calls: SIGNED,
      },
      ...ended,
    },
  ],
  // Counts: a zero is none, the cached part has many names, and the total may show more than the completion.
  ["usage-zeros", { text: "12345678", usage: counts(1, 2), warnings: ["usage_estimated"], incompleteReason: null }],
  [
    "usage-zero-prompt",
    { text: "12345678", usage: counts(1, 9), warnings: ["usage_estimated"], incompleteReason: null },
  ],
  ["usage-zeros-later", { text: "12345678", usage: counts(10, 5, 4), incompleteReason: null }],
  ["usage-cached-moonshot", { text: "ok", usage: counts(1000, 5, 900), incompleteReason: null }],
  ["usage-cached-beside", { text: "ok", usage: counts(1065, 8, 1000), incompleteReason: null }],
  [
    "usage-unknown-cache",
    { text: "ok", usage: counts(10, 5), warnings: ["usage_count_unknown"], incompleteReason: null },
  ],
  ["usage-hidden-thinking", { text: "ok", usage: counts(20, 603, 0, 405), incompleteReason: null }],
  ["usage-thinking-only", { usage: counts(10, 500, 0, 500), incompleteReason: "max_output_tokens" }],
];
