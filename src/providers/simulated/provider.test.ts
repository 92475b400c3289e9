import assert from "node:assert/strict";
import test from "node:test";
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import type { Ids } from "../../ports/ids.ts";
import { ProviderFailure, type ProviderPart } from "../../ports/provider.ts";
import {
  type Answer,
  createManualClock,
  foldParts,
  sampleModel,
  samplePrompt,
  sampleTool,
  userMessage,
} from "../../../test/support/provider-samples.ts";
import { PROVIDER_FAILURE_CODES } from "../verdict.ts";
import { createSimulatedProvider } from "./provider.ts";

interface Ran {
  readonly answer: Answer;
  readonly parts: readonly ProviderPart[];
  readonly failure: ProviderFailure | null;
}

async function run(prompt: Prompt, model = "echo"): Promise<Ran> {
  const provider = createSimulatedProvider(
    { name: "simulated", baseUrl: null, apiKey: null },
    { clock: createManualClock(), ids: {} as Ids },
  );
  const parts: ProviderPart[] = [];
  const call = {
    model: sampleModel({ id: `simulated/${model}`, upstreamModel: model }),
    prompt,
    cacheKey: () => "key",
    signal: new AbortController().signal,
  };
  let failure: ProviderFailure | null = null;
  try {
    await provider.run(call, (ready) => parts.push(...ready));
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    failure = error;
  }
  return { answer: foldParts(parts), parts, failure };
}

/** What a text is answered with; fails when it failed. */
async function ask(input: string | readonly PromptItem[], changes?: Partial<Prompt>, model?: string): Promise<Answer> {
  const { answer, failure } = await run(samplePrompt(input, changes), model);
  assert.equal(failure, null);
  return answer;
}

const WEATHER = sampleTool("get_weather", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});
const CLOCK = sampleTool("get_time");
const tools = [WEATHER, CLOCK];
const calls = (answer: Answer) => answer.calls.map((call) => [call.name, call.arguments]);

test("a text is echoed to the letter, word by word", async () => {
  const text = "Hello  there,\nwörld 🎉 ";
  const { answer, parts } = await run(samplePrompt(text));
  assert.equal(answer.text, text);
  assert.equal(parts.filter(({ type }) => type === "text").length, 4);
  assert.equal(answer.incompleteReason, null);
  assert.deepEqual(answer.usage, { input: 6, output: 6, cached: 0, reasoning: 0 });
});

test("the same input has the same output, ids too", async () => {
  const prompt = samplePrompt("/reason Hm\n/tools\n/stream 3", { tools });
  assert.deepEqual(await run(prompt), await run(prompt));
});

test("the newest user message is answered", async () => {
  const answer: PromptItem = { type: "answer", text: "A", declined: false, phase: null };
  assert.equal((await ask([userMessage("/fail canceled"), answer, userMessage("Now")])).text, "Now");
});

test("directives act in the order of their lines", async () => {
  const { text, calls: made } = await ask('/say Looking.\n/tool get_weather {"city":"Paris"}\n/tool get_time', {
    tools,
  });
  assert.equal(text, "Looking.");
  assert.deepEqual(
    made.map(({ name, arguments: given, isFinished }) => [name, given, isFinished]),
    [
      ["get_weather", '{"city":"Paris"}', true],
      ["get_time", "{}", true],
    ],
  );
  assert.notEqual(made[0]?.callId, made[1]?.callId);
});

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
    const answer = await ask(text, { tools, toolChoice });
    assert.deepEqual([calls(answer), answer.text], [made, said], `${text} ${JSON.stringify(toolChoice)}`);
  }
});

const round = (callId: string, output: string): PromptItem[] => [
  { type: "call", callId, name: "get_time", arguments: "{}" },
  { type: "result", callId, name: "get_time", output },
];

test("after tool results the answer quotes them, whatever forced the call", async () => {
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

test("/then tells what the next round does", async () => {
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

test("a refusal stands with words, without, and after a text", async () => {
  assert.deepEqual([(await ask("/refuse I can't.")).refusal, (await ask("/refuse")).refusal], ["I can't.", ""]);
  const { text, refusal } = await ask("/say Well,\n/refuse");
  assert.deepEqual([text, refusal], ["Well,", ""]);
});

test("a json_schema is satisfied without being told, and broken on demand", async () => {
  const format = {
    type: "json_schema",
    schema: { type: "object", properties: { n: { type: "integer", minimum: 4 } }, required: ["n"] },
  } as const;
  assert.equal((await ask("Hi", { format })).text, '{"n":4}');
  assert.equal((await ask("/json", { format })).text, '{"n":4}');
  assert.equal((await ask('/json {"n":5}', { format })).text, '{"n":5}');
  assert.equal((await ask("/say no", { format })).text, "no");
  assert.equal((await ask([userMessage("/tool get_time"), ...round("1", "noon")], { format, tools })).text, '{"n":4}');
});

test("an answer is cut at max_output_tokens, four characters each", async () => {
  const limit = { maxOutputTokens: 16, maxOutputTokensSet: true };
  const text = `🎉${"x".repeat(99)}`;
  const cut = await ask(text, limit);
  assert.deepEqual(
    [cut.text, cut.incompleteReason, cut.usage?.output],
    [`🎉${"x".repeat(63)}`, "max_output_tokens", 16],
  );
  assert.equal((await ask("x".repeat(64), limit)).incompleteReason, null);
  const call = (await ask(`/say ${"x".repeat(60)}\n/tool get_time {"a":"b"}`, limit)).calls[0];
  assert.deepEqual([call?.arguments, call?.isFinished], ['{"a"', false]);
});

test("an end before its time can be asked for", async () => {
  const filtered = await ask("Hi\n/incomplete content_filter");
  assert.deepEqual([filtered.text, filtered.incompleteReason], ["Hi", "content_filter"]);
  const stopped = await ask("/say A\n/incomplete\n/say B");
  assert.deepEqual([stopped.text, stopped.incompleteReason], ["A", "max_output_tokens"]);
});

test("reasoning comes before the answer, is sealed and counted", async () => {
  const { answer, parts } = await run(samplePrompt("Hi\n/reason Hmmm"));
  assert.deepEqual([answer.reasoning, answer.text, answer.usage?.reasoning], [["Hmmm"], "Hi", 1]);
  const sealed = parts.find((part) => part.type === "reasoning");
  assert.ok(sealed?.type === "reasoning" && sealed.encryptedContent !== null && sealed.encryptedContent !== "Hmmm");
});

test("usage can be given; parts never exceed their wholes", async () => {
  assert.deepEqual((await ask("Hi\n/usage input=100 output=7 cached=90 write=50 reasoning=3")).usage, {
    input: 100,
    output: 7,
    cached: 90,
    reasoning: 3,
  });
});

test("a citation stands at the text before it", async () => {
  const { parts } = await run(samplePrompt("Hello\n/cite https://example.com/ An example"));
  const [, citation] = parts;
  assert.deepEqual(citation, {
    type: "annotation",
    annotation: {
      type: "url_citation",
      url: "https://example.com/",
      title: "An example",
      start_index: 0,
      end_index: 5,
    },
  });
  assert.equal((await ask("/tool get_time\n/cite https://example.com/")).text, "https://example.com/");
});

test("/history and /prompt tell what the model was sent", async () => {
  const items: PromptItem[] = [
    { type: "message", role: "developer", text: "Be\nbrief" },
    { type: "state", state: { a: 1 } },
    { type: "call", callId: "1", name: null, arguments: "{}" },
    { type: "result", callId: "1", name: null, output: "out" },
    { type: "answer", text: "No", declined: true, phase: null },
    userMessage("/history"),
  ];
  assert.equal(
    (await ask(items, { instructions: "I" })).text,
    [
      "instructions: I",
      "1. developer: Be\\nbrief",
      '2. state: {"a":1}',
      "3. call 1 (carried): {}",
      "4. result 1: out",
      "5. assistant (refused): No",
      "6. user: /history",
    ].join("\n"),
  );
  const told = JSON.parse(
    (await ask("/prompt", { temperature: 0, endUserHash: "ab", maxOutputTokens: 99, maxOutputTokensSet: true })).text,
  );
  assert.deepEqual(
    [told.temperature, told.top_p, told.end_user_hash, told.max_output_tokens, told.tool_choice],
    [0, null, "ab", 99, "auto"],
  );
});

test("every failure comes before output, or after it with what was used", async () => {
  for (const code of PROVIDER_FAILURE_CODES) {
    const before = await run(samplePrompt(`Hi\n/fail ${code}`));
    assert.deepEqual([before.failure?.code, before.parts.length], [code, 0]);
    const after = await run(samplePrompt(`/say Well,\n/fail ${code}`));
    assert.deepEqual([after.failure?.code, after.answer.text, after.answer.usage?.output], [code, "Well,", 2]);
    assert.equal((await run(samplePrompt("Hi"), `fails-${code}`)).failure?.code, code);
    const late = await run(samplePrompt("Hi"), `fails-late-${code}`);
    assert.deepEqual([late.failure?.code, late.answer.text], [code, "The answer begins here"]);
  }
});

test("a failure says what it is told to say", async () => {
  const { failure } = await run(samplePrompt("/fail provider_rate_limited retry_after=7 status=420 not_run=yes"));
  assert.deepEqual([failure?.retryAfterSeconds, failure?.status, failure?.certainlyNotRun], [7, 420, true]);
  const plain = (await run(samplePrompt("/fail provider_rate_limited"))).failure;
  assert.deepEqual([plain?.retryAfterSeconds, plain?.status, plain?.certainlyNotRun], [null, 429, false]);
});

test("a directive that is written wrongly teaches how it is written", async () => {
  const rows: [string, RegExp][] = [
    ["/fail nonsense", /CODE is one of provider_client_error/],
    ["/fail canceled later=1", /write \/fail CODE/],
    ["/stream many", /write \/stream COUNT/],
    ["/stream 1 -5", /write \/stream COUNT/],
    ["/wait", /write \/wait MILLISECONDS/],
    ["/wait 99999999", /write \/wait MILLISECONDS/],
    ["/tool", /write \/tool NAME \[JSON\]/],
    ["/cite", /write \/cite URL/],
    ["/usage tokens=4", /write \/usage/],
    ["/usage cached=x", /write \/usage/],
    ["/incomplete maybe", /REASON is max_output_tokens or content_filter/],
  ];
  for (const [text, message] of rows) {
    const { failure } = await run(samplePrompt(text));
    assert.equal(failure?.code, "provider_client_error");
    assert.match(failure?.message ?? "", message);
  }
});

test("a quoted text may hold line breaks", async () => {
  assert.equal((await ask('/say "two\\nlines"')).text, "two\nlines");
  assert.equal((await ask('/say "open')).text, '"open');
});

test("/stream puts out as many deltas of that size as it is told", async () => {
  const { parts, answer } = await run(samplePrompt("/stream 12"));
  assert.equal(parts.filter(({ type }) => type === "text").length, 12);
  assert.equal(answer.text, "1 2 3 4 5 6 7 8 9 10 11 12 ");
  assert.equal((await ask("/stream 12 0 5")).text.length, 60);
  assert.equal((await ask("/stream 3 0 1")).text.length, 3);
});

test("text, state and usage wait where there is nothing to say but a modifier", async () => {
  assert.equal((await ask("/usage cached=1")).text, "OK");
  assert.deepEqual((await ask("Hi\n/state kept")).state, { simulated: "kept" });
});

test("the models that are told apart by name do what their table says", async () => {
  assert.equal((await ask("Hi", {}, "refuses")).refusal, "I can't help with that.");
  assert.equal((await ask("Hi", {}, "refuses-silently")).refusal, "");
  assert.deepEqual((await ask("Hi", {}, "refuses-late")).refusal, "");
  assert.equal((await ask("Hi", {}, "stops-early")).incompleteReason, "max_output_tokens");
  assert.equal((await ask("Hi", {}, "is-filtered")).incompleteReason, "content_filter");
  assert.equal((await ask("x".repeat(80), {}, "caches")).usage?.cached, 16);
  assert.equal((await ask("Hi", {}, "thinks")).reasoning.length, 1);
  assert.deepEqual(calls(await ask("Hi", { tools }, "calls-tools")), [
    ["get_weather", '{"city":"text"}'],
    ["get_time", "{}"],
  ]);
  assert.equal(
    (await ask([userMessage("Hi"), ...round("1", "noon")], { tools }, "calls-tools")).text,
    "get_time returned: noon",
  );
  assert.equal((await run(samplePrompt("Hi"), "fails-with-retry-after")).failure?.retryAfterSeconds, 7);
  assert.equal((await ask("Hi", {}, "unheard-of")).text, "Hi");
});
