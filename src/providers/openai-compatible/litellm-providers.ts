// The providers of LiteLLM that speak chat completions, as its documentation has them.
import type { LitellmProvider } from "../family.ts";

const OLLAMA = { baseUrl: "http://127.0.0.1:11434/v1", apiKey: null, path: "/v1" };

export const LITELLM_PROVIDERS: Readonly<Record<string, LitellmProvider>> = {
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
};
