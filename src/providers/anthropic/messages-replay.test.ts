// Rounds of a turn that are replayed from their states.
import assert from "node:assert/strict";
import test from "node:test";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import type { RoundBlock } from "./round-state.ts";
import {
  encode,
  state,
  user,
  assistant,
  text,
  use,
  used,
  thinking,
  called,
} from "../../../test/support/anthropic-messages.ts";

const redacted = { type: "redacted_thinking" as const, data: "hidden" };

const say = (words: string) => ({ type: "text" as const, text: words });

test("a round is replayed from its state with order and signatures, nothing twice", () => {
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

test("a round that ended with text is replayed in its own order, though the history has the text before the calls", () => {
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

test("calls beyond the limit are not replayed; the texts around them are one item", () => {
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

test("thinking that ends a message is not replayed: the wire rejects it as the last block", () => {
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
  // Thinking before a later text stays: without it there would be a gap.
  assert.deepEqual(
    encode(userMessage("?"), state(...led, called("dropped"), say("So")), call("a"), answer("So"), result("a"))[1],
    assistant(thinking("1"), use("a"), thinking("2"), redacted, text("So")),
  );
});

test("items after a replayed round are not taken for a part of it", () => {
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

test("a foreign state, or one whose calls are missing, leaves the items as they are", () => {
  const others: unknown[] = [
    null,
    "x",
    {},
    { blocks: 1 },
    { blocks: [{ type: "thinking" }] },
    { blocks: [{ type: "image" }] },
  ];
  for (const other of others) {
    assert.deepEqual(encode(userMessage("?"), stateOf(other, "a"), call("a"), result("a")), [
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
