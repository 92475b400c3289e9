import assert from "node:assert/strict";
import { test } from "node:test";
import { AddItemsBody, CreateResponseBody } from "../../contract/requests.ts";
import { JSON_DEPTH_MAX, JSON_NUMBER_CHARACTERS_MAX } from "../../contract/limits.ts";
import { COST_RATIO_MAX } from "../../../test/support/cost.ts";
import { workRatio } from "../../../test/support/counted-work.ts";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readJsonBody } from "./json-body.ts";

const read = (text: string) => readJsonBody(new TextEncoder().encode(text), "required", CreateResponseBody);

const nul = String.raw`\u0000`;
for (const [body, param, place] of [
  [`{"model":5,"unheard":{"of":[1,["${nul}"]]}}`, "unheard", "unheard.of[1][0] contains"],
  [`{"unheard":{"a${nul}":1}}`, "unheard", "A key of unheard contains"],
  [`{"a${nul}":1}`, String.raw`a\u0000`, String.raw`a\u0000 contains`],
  [`{"z":${"[".repeat(40)}"${nul}"${"]".repeat(40)}}`, "z", `z${"[0]".repeat(15)}… contains`],
  [`{"z":${"[".repeat(40_000)}"${nul}"${"]".repeat(40_000)}}`, "z", "z[0]"],
  [`{"${"k".repeat(500)}":"${nul}"}`, `${"k".repeat(64)}…`, "k… contains"],
  [`{"input":"${"a".repeat(300)}${nul}${"a".repeat(300)}"}`, "input", "input contains"],
] as const) {
  test(`U+0000 in ${body.slice(0, 50)} is rejected, naming its place`, () => {
    assertInvalidInput(() => read(body), param, place, "U+0000");
  });
}

test("half a surrogate pair, any depth and any number are ignored in members that are not read", () => {
  const deep = `${"[".repeat(5000)}"\\ud800"${"]".repeat(5000)}`;
  const body = `{"a":${deep},"\\udc00":1,"input":[{"role":"user","status":${deep}}],"model":${deep},"n":${"1".repeat(10_000)}}`;
  assert.deepEqual(Object.keys(read(body)), ["a", "\udc00", "input", "model", "n"]);
});

for (const body of [
  '{"input":[{"role":"user","content":"hi","id":"\\ud800"}]}',
  '{"input":[{"type":"message","role":"user","content":"hi","call_id":"\\ud800","output":"\\ud800"}]}',
  '{"input":[{"type":"function_call","call_id":"a","name":"b","arguments":"","id":"\\ud800","content":"\\ud800"}]}',
  '{"input":[{"role":"user","content":[{"type":"input_text","text":"","annotations":["\\ud800"]}]}]}',
  '{"tool_choice":{"type":"allowed_tools","tools":[{"name":"a"}],"name":"\\ud800"}}',
  '{"text":{"format":{"type":"text","name":"\\ud800","schema":{"a":"\\ud800"}}}}',
]) {
  test(`a member that others of its kind have is ignored: ${body}`, () => assert.ok(read(body)));
}

test("a member that an added item's part of another type has is ignored", () => {
  const add = (part: string) =>
    readJsonBody(new TextEncoder().encode(`{"items":[{"role":"user","content":[${part}]}]}`), "required", AddItemsBody);
  const citation = '{"type":"url_citation","url":"\\ud800","title":"","start_index":0,"end_index":0}';
  const cited = (type: string) => `{"type":"${type}","text":"","annotations":[${citation}]}`;
  assert.ok(add(cited("input_text")));
  assertInvalidInput(() => add(cited("output_text")), "items", "annotations[0].url");
});

const endless = "1".repeat(JSON_NUMBER_CHARACTERS_MAX + 1);
for (const [body, param, ...words] of [
  ['{"input":"\\ud800"}', "input", "input contains half a surrogate pair"],
  ['{"input":[{"content":[{"text":"\\ud800"}]}]}', "input", "input[0].content[0].text contains"],
  ['{"input":[{"id":"\\ud800"}]}', "input", "input[0].id contains"],
  ['{"input":[{"type":"function_call","call_id":"\\ud800"}]}', "input", "input[0].call_id contains"],
  ['{"text":{"format":{"type":"json_schema","schema":{"a":"\\ud800"}}}}', "text", "text.format.schema.a contains"],
  ['{"metadata":{"a":"\\udc00\\ud800"}}', "metadata", "metadata.a contains"],
  ['{"tools":[{"parameters":{"\\ud800":1}}]}', "tools", "A key of tools[0].parameters contains"],
  [`{"tools":[{"parameters":{"a":${endless}}}]}`, "tools", `more than ${JSON_NUMBER_CHARACTERS_MAX} characters`],
  [`{"tools":[{"parameters":${'{"a":'.repeat(60)}{}${"}".repeat(60)}}]}`, null],
  [`{"tools":[{"parameters":${'{"a":'.repeat(61)}{}${"}".repeat(61)}}]}`, "tools", `deeper than ${JSON_DEPTH_MAX}`],
] as const) {
  test(`${body.slice(0, 60)} is ${param === null ? "accepted" : "rejected"}`, () => {
    if (param === null) assert.ok(read(body));
    else assertInvalidInput(() => read(body), param, ...words);
  });
}

test("an error of the whole body is reported before an error of a field that is read", () => {
  assertInvalidInput(() => read('{"input":"\\ud800","z":"\\u0000"}'), "z", "U+0000");
  assertInvalidInput(() => read('{"input":"\\ud800"'), null, "not valid JSON");
  assertInvalidInput(() => read('{"input":"\\u0000","z":'), null, "not valid JSON");
  assertInvalidInput(() => read('{"a":"\\u0000","b":"\\u0000"}'), "a", "U+0000");
});

test("U+0000 in a member that a later one replaces is rejected too, without a field", () => {
  assertInvalidInput(() => read('{"a":"\\u0000","a":1}'), null, "U+0000");
  assertInvalidInput(() => read('{"tools":[{"parameters":{"a":"\\u0000","a":1.0}}]}'), null, "U+0000");
});

test("the work of naming a place is linear in its depth", () => {
  const ratio = workRatio(2_000, (depth) => {
    const body = `{"z":${"[".repeat(depth)}"${nul}"${"]".repeat(depth)}}`;
    assertInvalidInput(() => read(body), "z", "U+0000");
  });
  assert.ok(ratio < COST_RATIO_MAX, `eight times as deep took ${ratio.toFixed(1)} times the work`);
});
