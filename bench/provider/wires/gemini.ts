/** Gemini's streamGenerateContent: every chunk repeats the counts so far, and lines end in CRLF. */
import { TOKENS } from "../script.ts";
import type { Wire } from "../wire.ts";

export const geminiWire: Wire = () => {
  let output = 0;
  return {
    opening: () => "",
    delta: (text) => chunkFrame({ content: content(text), index: 0 }, ++output),
    closing: () => chunkFrame({ content: content(""), finishReason: "STOP", index: 0 }, TOKENS.output),
  };
};

function content(text: string): object {
  return { parts: [{ text }], role: "model" };
}

function chunkFrame(candidate: object, output: number): string {
  const chunk = {
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      candidatesTokenCount: output,
      totalTokenCount: TOKENS.input + output,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: TOKENS.input }],
    },
    modelVersion: "fake",
    responseId: "resp-bench",
  };
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}
