import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { UpstreamError, type ProviderPart } from "../../ports/provider.ts";
import { createManualClock } from "../../../test/support/provider-samples.ts";
import { play } from "./play.ts";
import { say, type Step } from "./steps.ts";

function start(steps: readonly Step[], listen?: (abort: () => void) => void) {
  const clock = createManualClock();
  const controller = new AbortController();
  const batches: (readonly ProviderPart[])[] = [];
  const ended = play({
    provider: "simulated",
    steps,
    inputCharacters: 4,
    outputTokensMax: 100,
    clock,
    signal: controller.signal,
    receive(parts) {
      batches.push(parts);
      listen?.(() => controller.abort());
    },
    callId: (index) => `call_${index}`,
  });
  return { clock, controller, batches, ended };
}

const isStopped = (error: unknown) => error instanceof UpstreamError && error.code === "canceled";

test("deltas keep their pace by the clock", async () => {
  const { clock, batches, ended } = start([{ do: "say", deltas: ["a", "b", "c"], pauseMs: 20 }]);
  await setImmediate();
  for (const heard of [1, 2]) {
    assert.equal(batches.length, heard);
    clock.advance(19);
    await setImmediate();
    assert.equal(batches.length, heard, "not a millisecond early");
    clock.advance(1);
    await setImmediate();
  }
  await ended;
  assert.deepEqual(
    batches.map((parts) => parts.map(({ type }) => type)),
    [["text"], ["text"], ["text", "usage", "finished"]],
  );
  assert.equal(clock.pending, 0);
});

test("nothing is emitted within the call itself", () => {
  assert.equal(start([say("Hi")]).batches.length, 0);
});

test("a slow start waits, then emits", async () => {
  const { clock, batches, ended } = start([{ do: "wait", milliseconds: 2_000 }, say("Hi")]);
  await setImmediate();
  assert.equal(batches.length, 0);
  clock.advance(2_000);
  await ended;
  assert.equal(batches.length, 1);
});

test("only an abort ends a hang, and earlier parts are delivered", async () => {
  const { clock, controller, batches, ended } = start([say("Hi"), { do: "hang" }]);
  await setImmediate();
  clock.advance(1e9);
  await setImmediate();
  assert.equal(batches.length, 1);
  controller.abort();
  await assert.rejects(ended, isStopped);
});

test("an abort while waiting stops the timer, and nothing is emitted after it", async () => {
  const { clock, controller, batches, ended } = start([{ do: "wait", milliseconds: 50 }, say("Hi")]);
  await setImmediate();
  controller.abort();
  await assert.rejects(ended, isStopped);
  assert.deepEqual([clock.pending, batches.length], [0, 0]);
});

test("an abort by the receiver or before the start ends it too", async () => {
  const heard = start([say("Hi"), { do: "wait", milliseconds: 5 }, say("you")], (abort) => abort());
  await assert.rejects(heard.ended, isStopped);
  assert.deepEqual([heard.batches.length, heard.clock.pending], [1, 0]);
  const { controller, batches, ended } = start([say("Hi")]);
  controller.abort();
  await assert.rejects(ended, isStopped);
  assert.equal(batches.length, 0);
});

test("arguments that are not a JSON object are sent unchanged, with the warning of other providers", async () => {
  const warned = async (callArguments: string) => {
    const { batches, ended } = start([{ do: "call", name: "look", arguments: callArguments }]);
    await ended;
    const parts = batches.flat().filter(({ type }) => type !== "usage");
    assert.equal(parts.flatMap((part) => (part.type === "call_arguments" ? [part.delta] : [])).join(""), callArguments);
    return parts.flatMap((part) => (part.type === "warning" ? [part.code] : []));
  };
  for (const broken of ["{broken", "[1]", '"text"', '{"a":1} {', "null"]) {
    assert.deepEqual(await warned(broken), ["arguments_not_valid"], broken);
  }
  for (const whole of ["", "{}", '{"city": "Paris"} ']) assert.deepEqual(await warned(whole), [], whole);
});

test("arguments cut at max_output_tokens cause no warning", async () => {
  const { batches, ended } = start([{ do: "call", name: "look", arguments: `{"text": "${"x".repeat(500)}"}` }]);
  await ended;
  const kinds = new Set(batches.flat().map(({ type }) => type));
  assert.deepEqual([...kinds], ["call_started", "call_arguments", "usage", "finished"]);
});
