/**
 * A short proof that an artefact works: turns, a stream, a tool loop, and a restart that keeps the history, by the official client. For any
 * running service, however it was packed:
 *
 *   npx node release/conformance.ts --base-url http://127.0.0.1:8080/v1 --key sk_… [--manage-url URL] [--restart COMMAND]
 *
 * The restart is a shell command that ends when the old service has ended and a new one is starting, at the same address. The simulated models
 * have to be on.
 */
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import OpenAI from "openai";

const MODEL = "simulated/echo";
const READY_SECONDS = 60;
const TOOL = { type: "function", name: "get_weather", strict: false, parameters: { type: "object" } } as const;

export interface Artefact {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly manageUrl: string | null;
  /** Ends the service and starts it again; null: that is not checked. */
  readonly restart: (() => Promise<void>) | null;
}

/** Checks a running service; `report` gets the name of each check that holds. Rejects with an AssertionError on the first that does not. */
export async function checkConformance(artefact: Artefact, report: (name: string) => void): Promise<void> {
  const { baseUrl, apiKey, manageUrl, restart } = artefact;
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });

  const first = await client.responses.create({ model: MODEL, input: "My name is Ada." });
  assert.deepEqual([first.status, first.output_text], ["completed", "My name is Ada."]);
  report("first turn");

  const question = "What is my name?";
  const second = await client.responses.create({ model: MODEL, input: question, previous_response_id: first.id });
  const alone = await client.responses.create({ model: MODEL, input: question });
  assert.equal(second.output_text, question);
  // The simulated model counts what it is sent.
  assert.ok(tokensOf(second) > tokensOf(alone), "the second turn was sent without the first");
  report("second turn");

  const stream = await client.responses.create({ model: MODEL, input: "Tell me more.", stream: true });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const text = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
  const last = events.at(-1);
  assert.equal(events[0]?.type, "response.created");
  assert.ok(last?.type === "response.completed", `the stream ended with ${last?.type}`);
  assert.equal(text, "Tell me more.");
  assert.equal((await client.responses.retrieve(last.response.id)).output_text, text);
  report("stream");

  const asked = await client.responses.create({
    model: MODEL,
    input: "Weather in Paris?",
    tools: [TOOL],
    tool_choice: "required",
  });
  const [call] = asked.output;
  assert.ok(call?.type === "function_call" && call.name === TOOL.name, "the model called no tool");
  const told = await client.responses.create({
    model: MODEL,
    previous_response_id: asked.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "sunny" }],
  });
  assert.equal(told.status, "completed");
  report("tool loop");

  for (const path of ["/openapi.json", "/docs", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"]) {
    assert.equal((await fetch(new URL(path, baseUrl))).status, 200, path);
  }
  report("reference");

  if (manageUrl !== null) {
    assert.equal((await fetch(new URL("/", manageUrl), { headers: { accept: "text/html" } })).status, 200);
    report("management app");
  }

  if (restart === null) return;
  await restart();
  await untilReady(client);
  assert.deepEqual(await client.responses.retrieve(first.id), first);
  const third = await client.responses.create({ model: MODEL, input: question, previous_response_id: second.id });
  assert.ok(tokensOf(third) > tokensOf(second), "the turn after the restart was sent without those before it");
  report("restart that keeps the history");
}

function tokensOf({ usage }: OpenAI.Responses.Response): number {
  return usage?.input_tokens ?? 0;
}

async function untilReady(client: OpenAI): Promise<void> {
  const endMs = performance.now() + READY_SECONDS * 1000;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      return void (await client.models.list());
    } catch (error) {
      if (performance.now() > endMs) throw error;
      // oxlint-disable-next-line no-await-in-loop -- the same
      await sleep(100);
    }
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      "base-url": { type: "string" },
      key: { type: "string" },
      "manage-url": { type: "string" },
      restart: { type: "string" },
    },
  });
  const { "base-url": baseUrl, key: apiKey, "manage-url": manageUrl = null, restart: command } = values;
  if (baseUrl === undefined || apiKey === undefined) throw new Error("--base-url and --key are required");
  const restart = command === undefined ? null : async () => void execSync(command, { stdio: "inherit" });
  await checkConformance({ baseUrl, apiKey, manageUrl, restart }, (name) => console.log(`ok  ${name}`));
}
