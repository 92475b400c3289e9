import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { UPSTREAM_ERROR_CODES } from "../wire/error-codes.ts";
import { run, ask, tools, calls, round } from "../../../test/support/simulated-provider.ts";
import { stateOf } from "../../../test/support/prompt-items.ts";

test("a text is echoed exactly, word by word", async () => {
  const text = "Hello  there,\nwörld 🎉 ";
  const { folded, parts } = await run(samplePrompt(text));
  assert.equal(folded.text, text);
  assert.equal(parts.filter(({ type }) => type === "text").length, 4);
  assert.equal(folded.incompleteReason, null);
  assert.deepEqual(folded.usage, { input: 6, output: 6, cached: 0, reasoning: 0 });
});

test("the same input has the same output, ids too", async () => {
  const prompt = samplePrompt("/reason Hm\n/tools\n/stream 3", { tools });
  assert.deepEqual(await run(prompt), await run(prompt));
});

test("the newest user message is answered", async () => {
  const folded: PromptItem = { type: "assistant", text: "A", isRefusal: false, phase: null };
  assert.equal((await ask([userMessage("/fail canceled"), folded, userMessage("Now")])).text, "Now");
});

test("directives take effect in the order of their lines", async () => {
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

test("a refusal comes with text, without it, and after other text", async () => {
  assert.deepEqual([(await ask("/refuse I can't.")).refusal, (await ask("/refuse")).refusal], ["I can't.", ""]);
  const { text, refusal } = await ask("/say Well,\n/refuse");
  assert.deepEqual([text, refusal], ["Well,", ""]);
});

test("a json_schema is satisfied by default and broken on request", async () => {
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

test("output is cut at max_output_tokens, four characters per token", async () => {
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

test("an early end can be requested", async () => {
  const filtered = await ask("Hi\n/incomplete content_filter");
  assert.deepEqual([filtered.text, filtered.incompleteReason], ["Hi", "content_filter"]);
  const stopped = await ask("/say A\n/incomplete\n/say B");
  assert.deepEqual([stopped.text, stopped.incompleteReason], ["A", "max_output_tokens"]);
});

test("reasoning precedes the text, has encrypted content and is counted", async () => {
  const { folded, parts } = await run(samplePrompt("Hi\n/reason Hmmm"));
  assert.deepEqual([folded.reasoning, folded.text, folded.usage?.reasoning], [["Hmmm"], "Hi", 1]);
  const sealed = parts.find((part) => part.type === "reasoning");
  assert.ok(sealed?.type === "reasoning" && sealed.encryptedContent !== null && sealed.encryptedContent !== "Hmmm");
});

test("usage can be set; details never exceed their totals", async () => {
  assert.deepEqual((await ask("Hi\n/usage input=100 output=7 cached=90 write=50 reasoning=3")).usage, {
    input: 100,
    output: 7,
    cached: 90,
    reasoning: 3,
  });
});

test("a citation covers the text before it", async () => {
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

test("/history and /prompt print what the model received", async () => {
  const items: PromptItem[] = [
    { type: "message", role: "developer", text: "Be\nbrief" },
    stateOf({ a: 1 }),
    { type: "call", callId: "1", name: null, arguments: "{}" },
    { type: "result", callId: "1", name: null, output: "out" },
    { type: "assistant", text: "No", isRefusal: true, phase: null },
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
  const received = JSON.parse(
    (await ask("/prompt", { temperature: 0, endUserHash: "ab", maxOutputTokens: 99, maxOutputTokensSet: true })).text,
  );
  assert.deepEqual(
    [received.temperature, received.top_p, received.end_user_hash, received.max_output_tokens, received.tool_choice],
    [0, null, "ab", 99, "auto"],
  );
});

test("every failure comes before output, or after it with its usage", async () => {
  for (const code of UPSTREAM_ERROR_CODES) {
    const before = await run(samplePrompt(`Hi\n/fail ${code}`));
    assert.deepEqual([before.failure?.code, before.parts.length], [code, 0]);
    const after = await run(samplePrompt(`/say Well,\n/fail ${code}`));
    assert.deepEqual([after.failure?.code, after.folded.text, after.folded.usage?.output], [code, "Well,", 2]);
    assert.equal((await run(samplePrompt("Hi"), `fails-${code}`)).failure?.code, code);
    const late = await run(samplePrompt("Hi"), `fails-late-${code}`);
    assert.deepEqual([late.failure?.code, late.folded.text], [code, "The answer begins here"]);
  }
});

test("a failure has the status and Retry-After of its directive", async () => {
  const { failure } = await run(samplePrompt("/fail provider_rate_limited retry_after=7 status=420 not_run=yes"));
  assert.deepEqual([failure?.retryAfterSeconds, failure?.status, failure?.certainlyNotRun], [7, 420, true]);
  const plain = (await run(samplePrompt("/fail provider_rate_limited"))).failure;
  assert.deepEqual([plain?.retryAfterSeconds, plain?.status, plain?.certainlyNotRun], [null, 429, false]);
});

test("the error of a malformed directive gives its syntax", async () => {
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

test("a quoted text may contain line breaks", async () => {
  assert.equal((await ask('/say "two\\nlines"')).text, "two\nlines");
  assert.equal((await ask('/say "open')).text, '"open');
});

test("/stream emits the given number of deltas of the given size", async () => {
  const { parts, folded } = await run(samplePrompt("/stream 12"));
  assert.equal(parts.filter(({ type }) => type === "text").length, 12);
  assert.equal(folded.text, "1 2 3 4 5 6 7 8 9 10 11 12 ");
  assert.equal((await ask("/stream 12 0 5")).text.length, 60);
  assert.equal((await ask("/stream 3 0 1")).text.length, 3);
});

test("directives that only modify leave the default output", async () => {
  assert.equal((await ask("/usage cached=1")).text, "OK");
  assert.deepEqual((await ask("Hi\n/state kept")).state, { simulated: "kept" });
});

test("each model does what its table says", async () => {
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
