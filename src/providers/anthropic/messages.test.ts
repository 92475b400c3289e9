import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import {
  encodeAll,
  encode,
  user,
  assistant,
  text,
  use,
  used,
  thinking,
  called,
} from "../../../test/support/anthropic-messages.ts";
import { createRoundState } from "./round-state.ts";

const notice = (role: "system" | "developer", words: string): PromptItem => ({ type: "message", role, text: words });

test("roles alternate: neighbours of one role are one message", () => {
  assert.deepEqual(encode(userMessage("1"), answer("one"), userMessage("2")), [
    user(text("1")),
    assistant(text("one")),
    user(text("2")),
  ]);
  assert.deepEqual(encode(userMessage("1"), userMessage("2"), answer("a"), answer("b"), userMessage("3")), [
    user(text("1"), text("2")),
    assistant(text("a"), text("b")),
    user(text("3")),
  ]);
});

test("calls of one round are one message, their results start the next", () => {
  assert.deepEqual(
    encode(userMessage("?"), answer("Let me see."), call("a"), call("b"), result("a"), result("b"), userMessage("So?")),
    [user(text("?")), assistant(text("Let me see."), use("a"), use("b")), user(used("a"), used("b"), text("So?"))],
  );
});

test("text between calls separates them, since results must follow their calls", () => {
  assert.deepEqual(encode(userMessage("?"), call("a"), result("a"), answer("And now"), call("b"), result("b")), [
    user(text("?")),
    assistant(use("a")),
    user(used("a")),
    assistant(text("And now"), use("b")),
    user(used("b")),
  ]);
});

test("a carried call has a neutral name", () => {
  assert.deepEqual(encode(call("a", null), result("a"), userMessage("?")), [
    user(text("(The conversation begins with the assistant.)")),
    assistant(use("a", "tool")),
    user(used("a"), text("?")),
  ]);
});

test("ids that the wire rejects are mapped in call and result alike", () => {
  const messages = encode(userMessage("?"), call("a.b"), call("a_b"), result("a.b"), result("a_b"));
  assert.deepEqual(messages.slice(1), [
    assistant(use("a_b_2", "look", "a.b"), use("a_b", "look", "a_b")),
    user(used("a_b_2", "out a.b"), used("a_b", "out a_b")),
  ]);
});

test("a replayed call has its id in the prompt, alike in its result", () => {
  const round = createRoundState([thinking("T"), called("a")]);
  const items = [call("a"), result("a"), userMessage("!"), stateOf(round, ["a", "fc_2"]), call("fc_2"), result("fc_2")];
  assert.deepEqual(encode(userMessage("?"), ...items).slice(2), [
    user(used("a"), text("!")),
    assistant(thinking("T"), use("fc_2")),
    user(used("fc_2")),
  ]);
});

test("blank texts, which the wire rejects, are left out except in the newest message", () => {
  assert.deepEqual(encode(userMessage(" "), answer("\n"), userMessage("1"), answer("one"), userMessage(" ")), [
    user(text("1")),
    assistant(text("one")),
    user(text(" ")),
  ]);
  assert.deepEqual(encodeAll([notice("system", " "), userMessage("1"), notice("developer", "\n")]), {
    system: [],
    messages: [user(text("1"))],
  });
  assert.deepEqual(
    encode(userMessage("?"), call("a"), result("a", " \n")).at(-1),
    user({ type: "tool_result", tool_use_id: "a" }),
  );
});

test("a thread never ends with the assistant", () => {
  assert.deepEqual(encode(userMessage("1"), answer("one")).at(-1), user(text("Continue.")));
  assert.deepEqual(encode(), [user(text("Continue."))]);
  assert.deepEqual(encode(userMessage("1"), answer("", true)), [user(text("1"))]);
});

test("the first system messages join the system prompt, later ones follow the next user message", () => {
  const items = [
    notice("system", "Be kind."),
    userMessage("1"),
    answer("one"),
    notice("developer", "Be brief."),
    notice("system", "Be right."),
    userMessage("2"),
    answer("two"),
    userMessage("3"),
    notice("system", "At last."),
  ];
  assert.deepEqual(encodeAll(items), {
    system: ["Be kind."],
    messages: [
      user(text("1")),
      assistant(text("one")),
      user(text("2")),
      { role: "system", content: "Be brief.\n\nBe right." },
      assistant(text("two")),
      user(text("3")),
      { role: "system", content: "At last." },
    ],
  });
  assert.deepEqual(encodeAll(items, false), {
    system: ["Be kind.", "Be brief.", "Be right.", "At last."],
    messages: [user(text("1")), assistant(text("one")), user(text("2")), assistant(text("two")), user(text("3"))],
  });
});

test("a system message never stands between a call and its result, nor after the assistant", () => {
  assert.deepEqual(encode(userMessage("?"), notice("system", "Now."), call("a"), result("a")), [
    user(text("?")),
    { role: "system", content: "Now." },
    assistant(use("a")),
    user(used("a")),
  ]);
  assert.deepEqual(
    encode(userMessage("?"), answer("a"), notice("system", "Now."), answer("b"), userMessage("!")).slice(1),
    [assistant(text("a"), text("b")), user(text("!")), { role: "system", content: "Now." }],
  );
});

test("a message may have more blocks than a function may have arguments", () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => `c${index}`);
  const calls = ids.map((id) => call(id));
  const results = ids.map((id) => result(id));
  const { messages } = encodeAll([userMessage("?"), answer("Let me see."), ...calls, ...results, userMessage("So?")]);
  assert.deepEqual(
    messages.map(({ content }) => content.length),
    [1, ids.length + 1, ids.length + 1],
  );
});
