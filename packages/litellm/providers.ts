// The providers of LiteLLM by the prefix of their models there, and what it assumes of them when its file says nothing.

export interface LitellmProvider {
  /** The base URL as turngate.yaml takes it; null for the provider's own, or if only the file can name it. */
  readonly baseUrl: string | null;
  /** The variable of its key; null for none. */
  readonly apiKey: string | null;
  /** Appended to an address of the file, such as `/v1`, unless it ends with it. */
  readonly path?: string;
}

/** Those that have a type of their own in turngate.yaml, of the same name. It reads the same variable by itself. */
export const NATIVE = new Map<string, LitellmProvider>([
  ["openai", { baseUrl: null, apiKey: "OPENAI_API_KEY" }],
  ["anthropic", { baseUrl: null, apiKey: "ANTHROPIC_API_KEY" }],
  ["gemini", { baseUrl: null, apiKey: "GEMINI_API_KEY" }],
]);

/** Claude on Amazon Bedrock, a host of the type `anthropic`. */
export const BEDROCK: LitellmProvider = { baseUrl: null, apiKey: "AWS_BEARER_TOKEN_BEDROCK" };

const OLLAMA: LitellmProvider = { baseUrl: "http://127.0.0.1:11434/v1", apiKey: null, path: "/v1" };

/** Those that speak chat completions, as its documentation has them: `openai-compatible` of turngate.yaml. */
export const COMPATIBLE = new Map<string, LitellmProvider>(
  Object.entries({
    // With an `api_base` of its own, this is any server.
    openai: { baseUrl: null, apiKey: "OPENAI_API_KEY" },
    openai_like: { baseUrl: null, apiKey: null },
    hosted_vllm: { baseUrl: null, apiKey: null },
    lm_studio: { baseUrl: null, apiKey: null },
    ollama: OLLAMA,
    ollama_chat: OLLAMA,
    deepseek: { baseUrl: "https://api.deepseek.com/v1", apiKey: "DEEPSEEK_API_KEY" },
    fireworks_ai: { baseUrl: "https://api.fireworks.ai/inference/v1", apiKey: "FIREWORKS_API_KEY" },
    groq: { baseUrl: "https://api.groq.com/openai/v1", apiKey: "GROQ_API_KEY" },
    mistral: { baseUrl: "https://api.mistral.ai/v1", apiKey: "MISTRAL_API_KEY" },
    openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKey: "OPENROUTER_API_KEY" },
    together_ai: { baseUrl: "https://api.together.xyz/v1", apiKey: "TOGETHERAI_API_KEY" },
    xai: { baseUrl: "https://api.x.ai/v1", apiKey: "XAI_API_KEY" },
  }),
);
