// A request of the playground as code to paste. The key is read from the environment: code is committed and shared.
import type { CreateBody } from "./v1.ts";

export const LANGUAGES = ["curl", "JavaScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];

export function copyAs(language: Language, baseUrl: string, body: CreateBody): string {
  switch (language) {
    case "curl":
      return `curl -N ${baseUrl}/responses -H "Authorization: Bearer $API_KEY" \\\n  -H "Idempotency-Key: try-$(date +%s)" -H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`;
    case "JavaScript":
      return `import OpenAI from "openai";

// A retry of the client has the same key, and the turn runs once.
class Gateway extends OpenAI {
  idempotencyHeader = "Idempotency-Key";
}
const client = new Gateway({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.API_KEY });
const stream = await client.responses.create(${JSON.stringify(body, null, 2)});
for await (const event of stream) console.log(event);
`;
    default:
      return `import os, uuid
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["API_KEY"])
stream = client.responses.create(
${Object.entries(pythonBody(body))
  .map(([name, value]) => `    ${name}=${toPython(value)},`)
  .join("\n")}
    extra_headers={"Idempotency-Key": str(uuid.uuid4())},
)
for event in stream:
    print(event)
`;
  }
}

/** The arguments of the Python client. Fields of the service's own have no argument there. */
function pythonBody(body: CreateBody): Readonly<Record<string, unknown>> {
  const own = Object.entries(body).filter(([name]) => name.startsWith("svc:"));
  const known = Object.entries(body).filter(([name]) => !name.startsWith("svc:"));
  return Object.fromEntries(own.length === 0 ? known : [...known, ["extra_body", Object.fromEntries(own)]]);
}

/** A JSON value as a Python literal. Python reads the escapes of JSON's strings. */
function toPython(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${toPython(field)}`);
  return `{${fields.join(", ")}}`;
}

/** Quotes a word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
