/** OpenAI Responses, obfuscated as the provider does by default. */
import { FrameWriter, mintNames, responseJson } from "../../targets/frames.ts";
import { TOKENS } from "../script.ts";
import type { Wire } from "../wire.ts";

export const openAiWire: Wire = () => {
  const names = mintNames("fake");
  const writer = new FrameWriter(names, true);
  return {
    opening: () => writer.opening(),
    delta: (text) => writer.delta(text),
    closing: (text) => writer.closing(text, responseJson(names, text, TOKENS)),
  };
};
