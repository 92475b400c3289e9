// Calls and results of the simulated models.
import assert from "node:assert/strict";
import test from "node:test";
import type { Prompt } from "../../core/response/prompt.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import { ask, tools, calls, round } from "../../../test/support/simulated-provider.ts";

test("a call without arguments gets an instance of its tool's schema; others are sent as written", async () => {
  assert.deepEqual(calls(await ask("/tool get_weather\n/tool other\n/tool get_time {broken", { tools })), [
    ["get_weather", '{"city":"text"}'],
    ["other", "{}"],
    ["get_time", "{broken"],
  ]);
});

test("parallel_tool_calls false makes one call of several", async () => {
  assert.deepEqual(calls(await ask("/tools", { tools, parallelToolCalls: false })), [
    ["get_weather", '{"city":"text"}'],
  ]);
});

test("each form of tool_choice is obeyed", async () => {
  const rows: [string, Prompt["toolChoice"], unknown[], string][] = [
    ["Hi", "auto", [], "Hi"],
    ["Hi", "none", [], "Hi"],
    ["Hi", "required", [["get_weather", '{"city":"text"}']], ""],
    ["Hi", { type: "function", name: "get_time" }, [["get_time", "{}"]], ""],
    ["Hi", { type: "allowed_tools", mode: "auto", tools: [{ name: "get_time" }] }, [], "Hi"],
    ["Hi", { type: "allowed_tools", mode: "required", tools: [{ name: "get_time" }] }, [["get_time", "{}"]], ""],
    ["/tool get_time {}", "required", [["get_time", "{}"]], ""],
    ["/tool get_time", "none", [], "tool_choice does not allow a call of get_time."],
    ["/tools", { type: "allowed_tools", mode: "auto", tools: [{ name: "get_time" }] }, [["get_time", "{}"]], ""],
    ["/say First", "required", [["get_weather", '{"city":"text"}']], "First"],
  ];
  for (const [text, toolChoice, made, said] of rows) {
    const folded = await ask(text, { tools, toolChoice });
    assert.deepEqual([calls(folded), folded.text], [made, said], `${text} ${JSON.stringify(toolChoice)}`);
  }
});

test("tool results are quoted, whatever forced the call", async () => {
  const items = [
    userMessage("/tools"),
    ...round("1", "noon"),
    { type: "result", callId: "2", name: null, output: "?" } as const,
  ];
  assert.equal(
    (await ask(items, { tools, toolChoice: "required" })).text,
    "get_time returned: noon\nThe tool returned: ?",
  );
});

test("/then controls the next round", async () => {
  const opening = userMessage("/tool get_time\n/then\n/tool get_weather\n/then\nDone.");
  assert.deepEqual(calls(await ask([opening], { tools })), [["get_time", "{}"]]);
  assert.deepEqual(calls(await ask([opening, ...round("1", "noon")], { tools })), [["get_weather", '{"city":"text"}']]);
  assert.equal((await ask([opening, ...round("1", "noon"), ...round("2", "sun")], { tools })).text, "Done.");
  const last = [opening, ...round("1", "noon"), ...round("2", "sun"), ...round("3", "end")];
  assert.equal((await ask(last, { tools })).text, "get_time returned: end");
});

test("calls of different rounds have different ids", async () => {
  const opening = userMessage("/tool get_time\n/then\n/tool get_time");
  const first = await ask([opening], { tools });
  const second = await ask([opening, ...round(first.calls[0]?.callId ?? "", "noon")], { tools });
  assert.notEqual(first.calls[0]?.callId, second.calls[0]?.callId);
});
