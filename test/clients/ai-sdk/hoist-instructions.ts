// The middleware of docs/clients.md: sends system messages as `instructions`.
import type { LanguageModelMiddleware } from "ai";

export const hoistInstructions: LanguageModelMiddleware = {
  transformParams: async ({ params }) => {
    const texts = params.prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
    if (texts.length === 0) return params;
    const openai = { ...params.providerOptions?.["openai"], instructions: texts.join("\n\n") };
    return {
      ...params,
      prompt: params.prompt.filter(({ role }) => role !== "system"),
      providerOptions: { ...params.providerOptions, openai },
    };
  },
};
