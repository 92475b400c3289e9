// The same first request in the languages and clients that people use.

export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/**
 * Snippets of a request to that base URL. The key is written into none but the first, since code is committed:
 * the others read it from the environment.
 */
export function snippetsOf(baseUrl: string, key: string, model: string): readonly Snippet[] {
  const body = JSON.stringify({ model, input: "Hello" });
  return [
    {
      name: "curl",
      code: `curl ${baseUrl}/responses -H 'Authorization: Bearer ${key}' \\\n  -H 'Content-Type: application/json' -d '${body.replaceAll("'", `'\\''`)}'`,
    },
    {
      name: "JavaScript",
      code: `import OpenAI from "openai";

class Gateway extends OpenAI {
  idempotencyHeader = "Idempotency-Key";
}
const client = new Gateway({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.API_KEY });
const response = await client.responses.create({ model: ${JSON.stringify(model)}, input: "Hello" });
console.log(response.output_text);`,
    },
    {
      name: "Python",
      code: `import os, uuid
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["API_KEY"])
response = client.responses.create(
    model=${JSON.stringify(model)}, input="Hello", extra_headers={"Idempotency-Key": str(uuid.uuid4())}
)
print(response.output_text)`,
    },
    {
      name: "OpenAI Agents SDK",
      code: `import OpenAI from "openai";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from "@openai/agents";

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.API_KEY });
setDefaultOpenAIClient(client);
setTracingDisabled(true); // it would post traces to OpenAI
const agent = new Agent({ name: "Clerk", model: ${JSON.stringify(model)}, instructions: "Be brief." });
const { id: conversationId } = await client.conversations.create();
const result = await run(agent, "Hello", { conversationId, stream: true });
await result.completed;
console.log(result.finalOutput);`,
    },
    {
      name: "AI SDK",
      code: `import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";

const provider = createOpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.API_KEY });
const result = streamText({ model: provider.responses(${JSON.stringify(model)}), prompt: "Hello" });
console.log(await result.text);`,
    },
    {
      name: "LangChain",
      code: `import { ChatOpenAI } from "@langchain/openai";

const chat = new ChatOpenAI({
  useResponsesApi: true,
  model: ${JSON.stringify(model)},
  apiKey: process.env.API_KEY,
  configuration: { baseURL: ${JSON.stringify(baseUrl)} },
});
const first = await chat.invoke("Hello");
console.log(first.text);`,
    },
  ];
}
