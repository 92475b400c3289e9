// The specification's table "How input becomes a turn", row by row in its order.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { assertInvalidInput, countingMint } from "../../../test/support/responses.ts";
import { readCreateBody } from "../reading/create-body.ts";
import { planUserTurn, readUserTurn, type UserTurnContext, type TurnInputItem } from "./user-turn.ts";

const FIRST: UserTurnContext = { isFirstTurn: true, holdsItem: () => false };
const LATER: UserTurnContext = { isFirstTurn: false, holdsItem: (id) => id === "msg_known" };

function turnOf(input: unknown, context = FIRST): TurnInputItem[] {
  const later = context.isFirstTurn ? {} : { previous_response_id: "resp_1" };
  return planUserTurn(readUserTurn(readCreateBody({ model: "m", input, ...later }).input, context), countingMint());
}

const said = (text: string, id = "msg_1") => ({
  item: { type: "message", id, role: "user", status: "completed", content: [{ type: "input_text", text }] },
  carried: false,
  answers: null,
});
const itemsOf = (input: unknown, context = FIRST): Item[] => turnOf(input, context).map(({ item }) => item);
const typesOf = (input: unknown, context = FIRST) => itemsOf(input, context).map((item) => item.type);

const user = (content: unknown) => ({ role: "user", content });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: '{"a":1}' });
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "2" });
const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "e" };

test("row 1: a bare string is one user message", () => assert.deepEqual(turnOf("Hi\n\nyou"), [said("Hi\n\nyou")]));

test("row 2: the text of user messages joins into one, in wire order, separated by a blank line", () => {
  assert.deepEqual(turnOf([user("one")]), [said("one")]);
  assert.deepEqual(turnOf([user("one"), user("two"), user("three")]), [said("one\n\ntwo\n\nthree")]);
});

test("row 3: an assistant message is rejected: use previous_response_id", () => {
  assertInvalidInput(
    () => turnOf([user("x"), { role: "assistant", content: "y" }]),
    "input",
    "input[1] (message)",
    "previous_response_id",
  );
});

for (const role of ["system", "developer"]) {
  test(`row 4: a ${role} message is rejected: use instructions`, () => {
    assertInvalidInput(
      () => turnOf([{ role, content: "y" }, user("x")]),
      "input",
      "input[0] (message)",
      "instructions",
    );
  });
}

test("row 5: outputs alone are an error: a new conversation has no waiting tool call", () => {
  assertInvalidInput(
    () => turnOf([output("c")]),
    "input",
    "a new conversation has no waiting tool call",
    "function_call_output",
  );
});

test("row 6: a call with its output is carried as an exchange, in its place", () => {
  const turn = turnOf([user("x"), call("c"), output("c"), user("y")]);
  assert.deepEqual(turn, [
    {
      item: {
        type: "function_call",
        id: "fc_1",
        call_id: "c",
        name: "add",
        arguments: '{"a":1}',
        status: "completed",
      },
      carried: true,
      answers: null,
    },
    {
      item: { type: "function_call_output", id: "fco_2", call_id: "c", output: "2", status: "completed" },
      carried: true,
      answers: "fc_1",
    },
    said("x\n\ny", "msg_3"),
  ]);
});

for (const [input, types] of [
  [
    [user("x"), call("c"), output("c"), user("y")],
    ["function_call", "function_call_output", "message"],
  ],
  [
    [user("x"), call("c"), user("y"), output("c")],
    ["function_call", "message", "function_call_output"],
  ],
  [
    [user("x"), user("y"), call("c"), output("c"), user("")],
    ["message", "function_call", "function_call_output"],
  ],
] as const) {
  test(`row 2: the joined message takes the place of the last user item with text: ${types.join(", ")}`, () => {
    assert.deepEqual(typesOf(input), types);
  });
}

test("row 6: pairs need not be neighbours", () => {
  assert.deepEqual(typesOf([call("a"), call("b"), output("b"), output("a"), user("x"), user("y")]), [
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
    "message",
  ]);
});

for (const [input, index, type, half] of [
  [[user("x"), call("c")], 1, "function_call", "function_call_output"],
  [[call("c"), user("x")], 0, "function_call", "function_call_output"],
  [[user("x"), output("c")], 1, "function_call_output", "function_call"],
  [[user("x"), call("a"), output("b")], 1, "function_call", "function_call_output"],
  [[user("x"), call("a"), output("a"), output("b")], 3, "function_call_output", "function_call"],
] as const) {
  test(`row 7: half a pair at index ${index} of ${input.length} is rejected, naming the item and the missing ${half}`, () => {
    assertInvalidInput(
      () => turnOf(input),
      "input",
      `input[${index}] (${type})`,
      `the ${half} with call_id`,
      "missing",
    );
  });
}

test("row 7: a repeated call_id is rejected", () => {
  assertInvalidInput(() => turnOf([user("x"), call("c"), call("c"), output("c")]), "input", "input[2] (function_call)");
  assertInvalidInput(() => turnOf([user("x"), call("c"), output("c"), output("c")]), "input", "input[3]");
});

test("row 8: a reasoning item is stored in its place, with its encrypted content, and is not carried", () => {
  assert.deepEqual(turnOf([reasoning, user("x")]), [
    {
      item: {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "s" }],
        encrypted_content: "e",
      },
      carried: false,
      answers: null,
    },
    said("x", "msg_2"),
  ]);
  assert.deepEqual(itemsOf([user("x"), { type: "reasoning" }])[1], { type: "reasoning", id: "rs_2", summary: [] });
});

test("row 9: an item_reference is rejected on a first turn", () => {
  assertInvalidInput(
    () => turnOf([user("x"), { id: "msg_known" }]),
    "input",
    "input[1] (item_reference)",
    "the first turn",
  );
});

test("row 10: text parts are joined with newlines, whichever of the three they are", () => {
  const parts = [
    { type: "input_text", text: "a" },
    { type: "output_text", text: "b", annotations: [], logprobs: [] },
    { type: "text", text: "c" },
  ];
  assert.deepEqual(turnOf([user(parts), user("d")]), [said("a\nb\nc\n\nd")]);
});

for (const type of ["input_image", "input_file", "input_video", "summary_text", "reasoning_text", "refusal"]) {
  test(`row 10: a part of type ${type} is rejected, naming it`, () => {
    assertInvalidInput(
      () => turnOf([user("x"), user([{ type: "text", text: "x" }, { type }])]),
      "input",
      "input[1]",
      type,
      "content[1]",
    );
  });
}

for (const empty of [
  "",
  [],
  [{ type: "input_text", text: "" }],
  [
    { type: "text", text: "" },
    { type: "text", text: "" },
  ],
]) {
  test(`row 11: a user item of the content ${JSON.stringify(empty)} is skipped`, () => {
    assert.deepEqual(turnOf([user("a"), user(empty), user("b")]), [said("a\n\nb")]);
  });
}

test("row 11: content of spaces is not empty", () => assert.deepEqual(turnOf([user(" ")]), [said(" ")]));

for (const input of [[], [user("")], [user([]), user("")], [reasoning]]) {
  test(`row 12: ${JSON.stringify(input).slice(0, 50)} yields no user text and is rejected`, () => {
    assertInvalidInput(() => turnOf(input), "input", "no user text");
  });
}

test("row 12: an exchange without user text is rejected, saying that no call waits in a new conversation", () => {
  assertInvalidInput(() => turnOf([call("c"), output("c")]), "input", "no waiting tool call");
});

test("later turns follow the same table", () => {
  assert.deepEqual(turnOf("Hi", LATER), [said("Hi")]);
  assert.deepEqual(typesOf([call("c"), output("c"), user("x")], LATER), [
    "function_call",
    "function_call_output",
    "message",
  ]);
  assertInvalidInput(
    () => turnOf([user("x"), { role: "assistant", content: "y" }], LATER),
    "input",
    "input[1] (message)",
  );
  assertInvalidInput(() => turnOf([user("x"), { role: "system", content: "y" }], LATER), "input", "instructions");
  assertInvalidInput(() => turnOf([user("")], LATER), "input", "no user text");
});

test("a deferred item error is thrown when the turn is a user turn after all", () => {
  const input = [call("c"), output("c"), user("x"), { role: "assistant", content: "y" }];
  assertInvalidInput(() => turnOf(input, LATER), "input", "input[3] (message)", "previous_response_id");
});

test("on a later turn a reference into the history adds nothing; an unknown one is an error naming index and id", () => {
  assert.deepEqual(turnOf([{ id: "msg_known" }, user("x")], LATER), [said("x")]);
  assertInvalidInput(
    () => turnOf([user("x"), { id: "msg_other" }], LATER),
    "input",
    "input[1] (item_reference)",
    "msg_other",
  );
  assertInvalidInput(() => turnOf([{ id: "msg_known" }], LATER), "input", "no user text");
});

test("row 6: an output before its call is an error: it is not an exchange", () => {
  for (const input of [
    [output("c"), call("c"), user("x")],
    [output("c"), user("x"), call("c")],
  ]) {
    assertInvalidInput(
      () => turnOf(input),
      "input",
      "input[0] (function_call_output)",
      "a call must precede its output",
    );
  }
});
