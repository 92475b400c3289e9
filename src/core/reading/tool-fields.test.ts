import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readToolFields } from "./tool-fields.ts";

const tool = { type: "function", name: "look_up" };
const other = { type: "function", name: "add" };
const tools = [tool, other];

test("an echoed tool has exactly five keys, null where not sent", () => {
  const parameters = { type: "object", properties: {} };
  const whole = { type: "function", name: "add", description: "Adds.", parameters, strict: false };
  assert.deepEqual(readToolFields({ tools: [tool, { ...whole, more: 1 }] }).tools, [
    { type: "function", name: "look_up", description: null, parameters: null, strict: null },
    whole,
  ]);
});

test("an empty array of tools is no tools", () => assert.deepEqual(readToolFields({ tools: [] }).tools, []));

for (const [wrong, says] of [
  ["x", "tools[1] must be an object"],
  [null, "tools[1]"],
  [{ name: "x" }, "tools[1].type"],
  [{ type: "web_search" }, '"web_search"'],
  [{ type: "function" }, "tools[1].name"],
  [{ type: "function", name: "" }, "tools[1].name"],
  [{ type: "function", name: 1 }, "tools[1].name"],
  [{ type: "function", function: { name: "x" } }, "tools[1] is in the form of chat completions"],
  [{ type: "function", name: "x", description: 1 }, "tools[1].description"],
  [{ type: "function", name: "x", parameters: "{}" }, "tools[1].parameters"],
  [{ type: "function", name: "x", parameters: [] }, "tools[1].parameters"],
  [{ type: "function", name: "x", strict: "yes" }, "tools[1].strict"],
] as const) {
  test(`the tool ${JSON.stringify(wrong)} is rejected, saying ${says}`, () => {
    assertInvalidInput(() => readToolFields({ tools: [tool, wrong] }), "tools", says);
  });
}

for (const [choice, echoed] of [
  [undefined, "auto"],
  [null, "auto"],
  ["none", "none"],
  ["auto", "auto"],
  ["required", "required"],
  [
    { type: "function", name: "add", x: 1 },
    { type: "function", name: "add" },
  ],
  [
    { type: "allowed_tools", tools: [{ name: "add" }] },
    { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "add" }] },
  ],
  [
    { type: "allowed_tools", mode: "required", tools },
    { type: "allowed_tools", mode: "required", tools },
  ],
] as const) {
  test(`the choice ${JSON.stringify(choice)} is echoed as ${JSON.stringify(echoed)}`, () => {
    assert.deepEqual(readToolFields({ tools, tool_choice: choice }).toolChoice, echoed);
  });
}

for (const [choice, says] of [
  ["any", "none, auto, required"],
  ["", "none, auto, required"],
  [5, "string or an object"],
  [[], "an array"],
  [{}, "tool_choice.type"],
  [{ type: "custom" }, '"custom"'],
  [{ type: "function" }, "tool_choice.name"],
  [{ type: "function", name: "" }, "tool_choice.name"],
  [{ type: "function", name: "subtract" }, '"subtract"'],
  [{ type: "function", name: "s".repeat(100) }, `names "${"s".repeat(64)}…"`],
  [{ type: "allowed_tools" }, "tool_choice.tools"],
  [
    { type: "allowed_tools", tools: [] },
    "tool_choice.tools must be an array naming one tool at least, not an empty one.",
  ],
  [{ type: "allowed_tools", tools: ["add"] }, "tool_choice.tools[0].name"],
  [{ type: "allowed_tools", tools: [{ type: "custom", name: "add" }] }, "tool_choice.tools[0].type"],
  [{ type: "function", function: { name: "add" } }, "tool_choice is in the form of chat completions"],
  [{ type: "allowed_tools", tools: [other, { name: "subtract" }] }, '"subtract"'],
  [{ type: "allowed_tools", mode: "none", tools }, "tool_choice.mode"],
] as const) {
  test(`the choice ${JSON.stringify(choice)} is rejected, saying ${says}`, () => {
    assertInvalidInput(() => readToolFields({ tools, tool_choice: choice }), "tool_choice", says);
  });
}

test("a choice that is none or auto needs no tools; required does", () => {
  assert.equal(readToolFields({ tool_choice: "none" }).toolChoice, "none");
  assert.equal(readToolFields({ tool_choice: "auto" }).toolChoice, "auto");
  assertInvalidInput(() => readToolFields({ tool_choice: "required" }), "tool_choice", "at least one tool");
  assertInvalidInput(() => readToolFields({ tools: [], tool_choice: "required" }), "tool_choice");
  assertInvalidInput(() => readToolFields({ tool_choice: tool }), "tool_choice", "look_up");
});
