// Every setting on every group of models. @spec endpoints/model-settings
import assert from "node:assert/strict";
import { test } from "node:test";
import { MODEL_GROUPS, type ModelGroup, SETTINGS, type Setting } from "../../contract/settings.ts";
import { assertInvalidInput, modelOf } from "../../../test/support/responses.ts";
import { readCreateBody } from "../reading/create-body.ts";
import { forcesACall } from "../../contract/tools.ts";
import { checkSettings, checkToolChoice } from "./settings.ts";

const SENT: Record<Setting, Record<string, unknown>> = {
  parallel_tool_calls: { parallel_tool_calls: true },
  temperature: { temperature: 1 },
  top_p: { top_p: 1 },
  presence_penalty: { presence_penalty: 0 },
  frequency_penalty: { frequency_penalty: 0 },
  "text.format": { text: { format: { type: "text" } } },
  "text.verbosity": { text: { verbosity: "medium" } },
};
/** The specification's table, written out. */
const ACCEPTED: Record<ModelGroup, readonly Setting[]> = {
  A: ["parallel_tool_calls", "text.format"],
  B: ["temperature", "top_p", "presence_penalty", "frequency_penalty", "text.format"],
  C: ["parallel_tool_calls", "text.format", "text.verbosity"],
};

const groupModel = (group: ModelGroup) =>
  modelOf({ id: `test/${group}`, settings: new Set<Setting>(MODEL_GROUPS[group]) });
const check = (fields: Record<string, unknown>, model = modelOf()) =>
  checkSettings(readCreateBody({ model: "m", input: "x", ...fields }), model);

for (const group of ["A", "B", "C"] as const) {
  for (const setting of SETTINGS) {
    const fields = SENT[setting];
    if (ACCEPTED[group].includes(setting)) {
      test(`group ${group} takes ${setting}`, () => {
        check(fields, groupModel(group));
      });
    } else {
      // Its default value too: nothing is accepted and then dropped.
      test(`group ${group} rejects ${setting}, naming model and field`, () => {
        const param = Object.keys(fields)[0] ?? null;
        assertInvalidInput(() => check(fields, groupModel(group)), param, `test/${group}`, setting);
      });
    }
    test(`group ${group} ignores ${setting} sent as null`, () => {
      const param = Object.keys(fields)[0] ?? "";
      check({ [param]: null }, groupModel(group));
    });
  }
  test(`group ${group} rejects top_logprobs, 0 too`, () => {
    assertInvalidInput(() => check({ top_logprobs: 0 }, groupModel(group)), "top_logprobs", `test/${group}`);
  });
}

for (const [setting, minimum, maximum] of [
  ["temperature", 0, 2],
  ["top_p", 0, 1],
  ["presence_penalty", -2, 2],
  ["frequency_penalty", -2, 2],
] as const) {
  test(`${setting} lies between ${minimum} and ${maximum}; outside, model, field and range are named`, () => {
    for (const value of [minimum, maximum, (minimum + maximum) / 2]) check({ [setting]: value });
    for (const value of [minimum - 0.001, maximum + 0.001, 1e9]) {
      assertInvalidInput(() => check({ [setting]: value }), setting, "test/all", setting, `${minimum} to ${maximum}`);
    }
  });
}

test("a thinking budget excludes temperature and top_p, nothing else; an effort excludes neither", () => {
  const thinking = modelOf({ thinking: { budgetTokens: 1024 } });
  assertInvalidInput(() => check({ temperature: 1 }, thinking), "temperature", "test/all", "thinking");
  assertInvalidInput(() => check({ top_p: 1 }, thinking), "top_p", "test/all", "thinking");
  check({ presence_penalty: 1, frequency_penalty: 1, parallel_tool_calls: false }, thinking);
  check({ temperature: 1, top_p: 1 }, modelOf({ thinking: { effort: "high" } }));
});

test("an unsupported setting is reported as unsupported, whatever its type", () => {
  for (const value of ["hot", Number.POSITIVE_INFINITY, {}, 5]) {
    assertInvalidInput(
      () => check({ temperature: value }, groupModel("A")),
      "temperature",
      /^The model test\/A does not support temperature\.$/,
    );
  }
  assertInvalidInput(
    () => check({ text: { verbosity: 5 } }, groupModel("A")),
    "text",
    "does not support text.verbosity",
  );
});

test("a setting of a wrong type names model and field", () => {
  for (const [fields, param, said] of [
    [
      { temperature: "hot" },
      "temperature",
      /^temperature must be a number from 0 to 2 for the model test\/all, not "hot"\.$/,
    ],
    [
      { top_p: Number.POSITIVE_INFINITY },
      "top_p",
      /^top_p must be a number from 0 to 1 for the model test\/all, not a number beyond/,
    ],
    [
      { parallel_tool_calls: "no" },
      "parallel_tool_calls",
      /^parallel_tool_calls must be true or false for the model test\/all/,
    ],
    [{ text: "json" }, "text", /^text must be an object for the model test\/all/],
    [{ text: { format: 5 } }, "text", /^text\.format must be an object for the model test\/all/],
    [{ text: { format: { type: "x" } } }, "text", /^text\.format\.type must be .* for the model test\/all/],
    [
      { text: { verbosity: 5 } },
      "text",
      /^text\.verbosity must be one of low, medium, high for the model test\/all, not 5/,
    ],
    [{ top_logprobs: "many" }, "top_logprobs", /^The model test\/all does not support top_logprobs\.$/],
  ] as const) {
    assertInvalidInput(() => check(fields), param, said);
  }
});

test("text.verbosity is one of three; another one names model, field and the three", () => {
  for (const verbosity of ["low", "medium", "high"]) assert.equal(check({ text: { verbosity } }).verbosity, verbosity);
  for (const verbosity of ["loud", "", "LOW"]) {
    assertInvalidInput(() => check({ text: { verbosity } }), "text", "test/all", "text.verbosity", "low, medium, high");
  }
});

const tools = [{ type: "function" as const, name: "f" }];
for (const [choice, forces] of [
  ["none", false],
  ["auto", false],
  ["required", true],
  [{ type: "function", name: "f" }, true],
  [{ type: "allowed_tools", mode: "auto", tools }, false],
  [{ type: "allowed_tools", mode: "required", tools }, true],
] as const) {
  test(`the choice ${JSON.stringify(choice)} ${forces ? "forces" : "does not force"} a call`, () => {
    assert.equal(forcesACall(choice), forces);
    checkToolChoice(choice, modelOf());
    const unforced = modelOf({ forcedToolChoice: false });
    if (forces) assertInvalidInput(() => checkToolChoice(choice, unforced), "tool_choice", "test/all");
    else checkToolChoice(choice, unforced);
  });
}
