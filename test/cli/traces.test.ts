// Observability from outside: an SDK loaded before the service, and Prometheus at its management port.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../support/until.ts";
import { openCommandLine, readOutcome } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { readGreeting } from "./service-process.ts";

interface SpanLine {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const line = openCommandLine();
const spansFile = join(line.folder, "spans.jsonl");
let child: ChildProcess;
let said = "";
let greeted = "";

before(async () => {
  child = line.start(["serve"], {
    PORT: "0",
    MANAGE_PORT: "0",
    LOG_LEVEL: "debug",
    SPANS: spansFile,
    NODE_OPTIONS: `--import ${new URL("./traces-to-file.ts", import.meta.url).href}`,
  });
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (greeted += chunk.toString()));
  await until("the start", () => said.includes('"event":"service.started"') && /^Models: /m.test(greeted));
});

after(async () => {
  const ended = readOutcome(child);
  child.kill("SIGKILL");
  await ended;
  line.remove();
});

const greeting = () => readGreeting(greeted, line.folder);

function create(): Promise<Response> {
  const { baseUrl, firstKey } = greeting();
  return patiently(() =>
    fetch(`${baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${firstKey}` },
      body: JSON.stringify({ model: "simulated/echo", input: "canary-input" }),
    }),
  );
}

test("an SDK loaded with --import gets spans of a request and of its provider call", async () => {
  const { id } = (await (await create()).json()) as { id: string };
  // Requests that a busy service rejected have spans without its id.
  const ofResponse = () =>
    existsSync(spansFile) ? (readFileSync(spansFile, "utf8").match(new RegExp(`^.*${id}.*\n`, "gm")) ?? []) : [];
  await until("two spans", () => ofResponse().length === 2);
  const text = readFileSync(spansFile, "utf8");
  const spans = ofResponse().map((each) => JSON.parse(each) as SpanLine);
  const request = spans.find(({ name }) => name === "POST /v1/responses");
  const call = spans.find(({ name }) => name === "chat echo");
  assert.equal(request?.parentSpanId, null);
  assert.equal(call?.parentSpanId, request?.spanId);
  assert.equal(call?.traceId, request?.traceId);
  assert.equal(call?.attributes["gen_ai.provider.name"], "simulated");
  for (const span of [request, call]) assert.equal(span?.attributes["turngate.response.id"], id);
  assert.doesNotMatch(text, /canary/);
});

test("the management port shows the metrics in Prometheus' format", async () => {
  const answer = await fetch(`${greeting().manageOrigin}/metrics`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  assert.match(text, /^turngate_requests_total\{operation="createResponse",status="200"\} 1$/m);
  assert.match(text, /^turngate_turns_total\{model="simulated\/echo",provider="simulated",status="completed"\} 1$/m);
  assert.match(text, /^turngate_log_lines_total\{level="info",event="service.started"\} 1$/m);
  assert.match(text, /^process_cpu_seconds_total \d/m);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  assert.doesNotMatch(text, /canary|sk_/);
});

test("LOG_LEVEL debug logs each request and response, without content", async () => {
  await until(
    "both lines",
    () =>
      /^(?=.*"request\.answered")(?=.*"createResponse").*"status":200.*\n/m.test(said) &&
      /"turn\.ended".*\n/.test(said),
  );
  const lines = said
    .split("\n")
    .filter((each) => each.startsWith("{"))
    .map((each) => JSON.parse(each));
  const turn = lines.find(({ event }) => event === "turn.ended");
  const request = lines.find(({ event, response_id: id }) => event === "request.answered" && id === turn.response_id);
  assert.deepEqual([request.operation, request.status, request.code], ["createResponse", 200, null]);
  assert.deepEqual([turn.model, turn.status, turn.code], ["simulated/echo", "completed", null]);
  assert.equal(request.response_id, turn.response_id);
  assert.doesNotMatch(lines.map((each) => JSON.stringify(each)).join(""), /canary|sk_/);
});
