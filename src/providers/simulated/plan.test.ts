// The cost of planning a simulated turn grows linearly with what the request makes long. docs/reliability.md, F-43
import assert from "node:assert/strict";
import { test } from "node:test";
import { COST_RATIO_MAX, costRatio } from "../../../test/support/cost.ts";
import { samplePrompt } from "../../../test/support/provider-samples.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import { createArguments } from "./instance.ts";
import { plan } from "./plan.ts";

function user(text: string): Prompt {
  return samplePrompt([{ type: "message", role: "user", text }]);
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `f${index}`);
}

function tool(name: string) {
  return { type: "function", name, description: null, parameters: null, strict: null } as const;
}

const WORK: readonly (readonly [what: string, size: number, work: (size: number) => unknown])[] = [
  [
    "calls of different tools",
    1_000,
    (size) => {
      const tools = names(size).map(tool);
      const text = names(size).map((name) => `/tool ${name}`);
      return plan({ modelId: "simulated/echo", ownText: "", prompt: { ...user(text.join("\n")), tools } });
    },
  ],
  [
    "calls of allowed tools",
    1_000,
    (size) => {
      const tools = names(size).map(tool);
      const toolChoice = {
        type: "allowed_tools",
        mode: "auto",
        tools: tools.map(({ name }) => ({ name })),
      } as const;
      return plan({ modelId: "simulated/echo", ownText: "", prompt: { ...user("/tools"), tools, toolChoice } });
    },
  ],
  [
    "results of calls",
    1_000,
    (size) => {
      const items = [
        { type: "message", role: "user", text: "?" } as const,
        ...names(size).map((callId) => ({ type: "call", callId, name: "f", arguments: "{}" }) as const),
        ...names(size).map((callId) => ({ type: "result", callId, name: null, output: "1" }) as const),
      ];
      return plan({ modelId: "simulated/echo", ownText: "", prompt: samplePrompt(items) });
    },
  ],
  [
    "required properties",
    1_000,
    (size) => {
      const properties = Object.fromEntries(names(size).map((name) => [name, {}]));
      return createArguments({ type: "object", properties, required: names(size) });
    },
  ],
  [
    "schemas that hold together",
    1_000,
    (size) => createArguments({ allOf: names(size).map((name) => ({ properties: { [name]: {} }, required: [name] })) }),
  ],
];

for (const [what, size, work] of WORK) {
  test(`the cost of ${what} grows linearly`, () => {
    const ratio = costRatio(size, work);
    assert.ok(ratio < COST_RATIO_MAX, `eight times as many took ${ratio.toFixed(1)} times as long`);
  });
}

test("the cost of all schemas of a round is bounded, however many tools there are", () => {
  const branching = { anyOf: Array.from({ length: 12 }, () => ({ $ref: "#/$defs/a" })) };
  const parameters = { $defs: { a: { allOf: [branching, false] } }, ...branching };
  const tools = names(2_000).map((name) => ({ ...tool(name), parameters }));
  const before = process.threadCpuUsage();
  plan({ modelId: "simulated/echo", ownText: "", prompt: { ...user("/tools"), tools } });
  // Without a common bound they took minutes.
  assert.ok(process.threadCpuUsage(before).user < 10_000_000);
});

test("values given by a schema are repeated only up to a bound", () => {
  const items = { const: "x".repeat(100_000) };
  const value = createArguments({ properties: { a: { type: "array", items, minItems: 1_000 } }, required: ["a"] });
  assert.deepEqual(value, {});
});

test("the steps of a round are bounded, however often every tool is called", () => {
  const tools = names(500).map(tool);
  const steps = plan({ modelId: "simulated/echo", ownText: "", prompt: { ...user("/tools\n".repeat(500)), tools } });
  assert.equal(steps.length, 50_500);
});
