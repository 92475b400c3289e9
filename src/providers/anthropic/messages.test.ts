import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/turn/prompt.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import { createLabels } from "../labels.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
import { encodeMessages } from "./messages.ts";
import { createRoundState, type RoundBlock } from "./round-state.ts";

const encodeAll = (items: readonly PromptItem[], takesSystemMessages = true) =>
  encodeMessages(items, {
    takesSystemMessages,
    toolNames: createLabels([
      CARRIED_TOOL_NAME,
      ...items.flatMap((item) => (item.type === "call" && item.name !== null ? [item.name] : [])),
    ]),
  });
const encode = (...items: PromptItem[]) => encodeAll(items).messages;

const answer = (text: string, declined = false): PromptItem => ({ type: "answer", text, declined, phase: null });
const told = (role: "system" | "developer", text: string): PromptItem => ({ type: "message", role, text });
const call = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "call",
  callId,
  name,
  arguments: `{"of":"${callId}"}`,
});
const result = (callId: string, output = `out ${callId}`): PromptItem => ({
  type: "result",
  callId,
  name: "look",
  output,
});
const state = (...blocks: RoundBlock[]): PromptItem => ({ type: "state", state: createRoundState(blocks) });

const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name = "look", of = id) => ({ type: "tool_use", id, name, input: { of } });
const used = (id: string, content = `out ${id}`) => ({ type: "tool_result", tool_use_id: id, content });
const thinking = (words: string) => ({ type: "thinking" as const, thinking: words, signature: `signed ${words}` });
const redacted = { type: "redacted_thinking" as const, data: "hidden" };
const say = (words: string) => ({ type: "text" as const, text: words });
const called = (callId: string) => ({ type: "call" as const, callId });

test("turns alternate: neighbours of a role are one message", () => {
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

test("calls of one answer are one message, their results the head of the next", () => {
  assert.deepEqual(
    encode(userMessage("?"), answer("Let me see."), call("a"), call("b"), result("a"), result("b"), userMessage("So?")),
    [user(text("?")), assistant(text("Let me see."), use("a"), use("b")), user(used("a"), used("b"), text("So?"))],
  );
});

test("text between calls parts them, since results must follow their calls", () => {
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

test("ids that the wire refuses are mapped, alike in call and result", () => {
  const messages = encode(userMessage("?"), call("a.b"), call("a_b"), result("a.b"), result("a_b"));
  assert.deepEqual(messages.slice(1), [
    assistant(use("a_b_2", "look", "a.b"), use("a_b", "look", "a_b")),
    user(used("a_b_2", "out a.b"), used("a_b", "out a_b")),
  ]);
});

test("an id that is used again is another one on the wire, and each call keeps its own result", () => {
  assert.deepEqual(
    encode(
      userMessage("?"),
      call("a"),
      result("a"),
      userMessage("!"),
      call("a"),
      call("a_1"),
      result("a", "again"),
      result("a_1"),
    ),
    [
      user(text("?")),
      assistant(use("a")),
      user(used("a"), text("!")),
      assistant(use("a_1_2", "look", "a"), use("a_1")),
      user(used("a_1_2", "again"), used("a_1")),
    ],
  );
  const replayed = [state(thinking("T"), called("a")), call("a"), result("a", "again")];
  assert.deepEqual(encode(userMessage("?"), call("a"), result("a"), userMessage("!"), ...replayed).slice(2), [
    user(used("a"), text("!")),
    assistant(thinking("T"), use("a_1", "look", "a")),
    user(used("a_1", "again")),
  ]);
});

test("a call without its result, a result without its call and a repeated call are left out", () => {
  assert.deepEqual(
    encode(userMessage("?"), call("a"), result("b"), call("c"), result("c"), call("c"), userMessage("!")),
    [user(text("?")), assistant(use("c")), user(used("c"), text("!"))],
  );
});

test("texts without a letter are refused by the wire: they are left out, the newest message excepted", () => {
  assert.deepEqual(encode(userMessage(" "), answer("\n"), userMessage("1"), answer("one"), userMessage(" ")), [
    user(text("1")),
    assistant(text("one")),
    user(text(" ")),
  ]);
  assert.deepEqual(encodeAll([told("system", " "), userMessage("1"), told("developer", "\n")]), {
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

test("what a client tells the model stands above all messages at first, later behind the user's next message", () => {
  const items = [
    told("system", "Be kind."),
    userMessage("1"),
    answer("one"),
    told("developer", "Be brief."),
    told("system", "Be right."),
    userMessage("2"),
    answer("two"),
    userMessage("3"),
    told("system", "At last."),
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

test("a system message never stands between a call and its result, nor behind the assistant", () => {
  assert.deepEqual(encode(userMessage("?"), told("system", "Now."), call("a"), result("a")), [
    user(text("?")),
    { role: "system", content: "Now." },
    assistant(use("a")),
    user(used("a")),
  ]);
  assert.deepEqual(
    encode(userMessage("?"), answer("a"), told("system", "Now."), answer("b"), userMessage("!")).slice(1),
    [assistant(text("a"), text("b")), user(text("!")), { role: "system", content: "Now." }],
  );
});

test("a round is replayed from its state: order, signatures and all, nothing twice", () => {
  const items = [
    userMessage("?"),
    state(thinking("Hm."), redacted, say("Let me "), say("see."), called("a"), thinking(""), say("And"), called("b")),
    answer("Let me see."),
    call("a"),
    result("a"),
    answer("And"),
    call("b"),
    result("b"),
  ];
  const replayed = [
    thinking("Hm."),
    redacted,
    text("Let me "),
    text("see."),
    use("a"),
    thinking(""),
    text("And"),
    use("b"),
  ];
  assert.deepEqual(encode(...items), [user(text("?")), assistant(...replayed), user(used("a"), used("b"))]);
});

test("a round that ended with a text is replayed as it came, though the text stands before the calls in the history", () => {
  const round = state(thinking("1"), say("One"), called("a"), called("b"), say("Two"));
  const items = [userMessage("?"), round, answer("One"), answer("Two"), call("a"), call("b"), result("a"), result("b")];
  assert.deepEqual(encode(...items), [
    user(text("?")),
    assistant(thinking("1"), text("One"), use("a"), use("b"), text("Two")),
    user(used("a"), used("b")),
  ]);
});

test("rounds with and without thinking follow one another", () => {
  assert.deepEqual(
    encode(
      userMessage("?"),
      state(thinking("1"), called("a")),
      call("a"),
      result("a"),
      call("b"),
      result("b"),
      state(thinking("3"), say("Third"), called("c")),
      answer("Third"),
      call("c"),
      result("c"),
    ),
    [
      user(text("?")),
      assistant(thinking("1"), use("a")),
      user(used("a")),
      assistant(use("b")),
      user(used("b")),
      assistant(thinking("3"), text("Third"), use("c")),
      user(used("c")),
    ],
  );
});

test("calls beyond the cap have no result and are not replayed; texts around them are one item", () => {
  assert.deepEqual(
    encode(
      userMessage("?"),
      state(thinking("1"), called("a"), say("One "), called("dropped"), say("two"), called("dropped too")),
      call("a"),
      result("a"),
      answer("One two"),
      userMessage("!"),
    ),
    [user(text("?")), assistant(thinking("1"), use("a"), text("One "), text("two")), user(used("a"), text("!"))],
  );
});

test("thinking that nothing sent comes after is not replayed: the wire refuses it as an answer's last block", () => {
  const led = [thinking("1"), called("a"), thinking("2"), redacted];
  const rounds: [string, RoundBlock[]][] = [
    ["the call that it led to is beyond the cap", [...led, called("dropped")]],
    ["the call that it led to was cut", led],
    ["a blank text follows", [...led, say("\n")]],
  ];
  for (const [name, blocks] of rounds) {
    assert.deepEqual(
      encode(userMessage("?"), state(...blocks), call("a"), result("a")).slice(1),
      [assistant(thinking("1"), use("a")), user(used("a"))],
      name,
    );
  }
  // Where a text does come after, a block less would be a gap.
  assert.deepEqual(
    encode(userMessage("?"), state(...led, called("dropped"), say("So")), call("a"), answer("So"), result("a"))[1],
    assistant(thinking("1"), use("a"), thinking("2"), redacted, text("So")),
  );
});

test("what follows a replayed round is not taken for a part of it", () => {
  const messages = encode(
    userMessage("?"),
    state(thinking("1"), called("a")),
    call("a"),
    result("a"),
    answer("Mine"),
    userMessage("!"),
  );
  assert.deepEqual(messages.slice(2), [user(used("a")), assistant(text("Mine")), user(text("!"))]);
});

test("a state that is none of ours, or whose calls are gone, leaves the items to stand for themselves", () => {
  const others: unknown[] = [
    null,
    "x",
    {},
    { blocks: 1 },
    { blocks: [{ type: "thinking" }] },
    { blocks: [{ type: "image" }] },
  ];
  for (const other of others) {
    assert.deepEqual(encode(userMessage("?"), { type: "state", state: other }, call("a"), result("a")), [
      user(text("?")),
      assistant(use("a")),
      user(used("a")),
    ]);
  }
  assert.deepEqual(
    encode(userMessage("?"), state(thinking("1"), say("Hi"), called("gone")), answer("Hi"), userMessage("!")),
    [user(text("?")), assistant(text("Hi")), user(text("!"))],
  );
});

test("blank texts of a replayed round are not sent", () => {
  assert.deepEqual(
    encode(userMessage("?"), state(thinking("1"), say("\n\n"), called("a")), answer("\n\n"), call("a"), result("a"))[1],
    assistant(thinking("1"), use("a")),
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
