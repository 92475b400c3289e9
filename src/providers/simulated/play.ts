// Plays steps as parts, at their pace and within the output allowance.
import { countCharacters } from "../../contract/characters.ts";
import type { Clock } from "../../ports/clock.ts";
import { UpstreamError, type ProviderPart, type Receive } from "../../ports/provider.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import { ERROR_MESSAGES } from "../wire/error-codes.ts";
import type { FailStep, Step } from "./steps.ts";
import { countUsage, type GivenCounts } from "./usage.ts";

/** A round to be played. */
export interface PlayOptions {
  readonly provider: string;
  readonly steps: readonly Step[];
  readonly inputCharacters: number;
  /** The output allowance, tokens. */
  readonly outputTokensMax: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly receive: Receive;
  /** The call_id of the call with that index. */
  callId(index: number): string;
}

/** The deltas of arguments. */
const ARGUMENTS_DELTAS = /[^]{1,16}/gu;
/** Steps and parts in one turn of the event loop: an input may request a million. */
const WORK_A_TURN = 256;
/** Characters that cost as much as one part. */
const CHARACTERS_A_PART = 256;

/** Thrown internally when the output allowance is used up. */
class OutputSpent extends Error {}

/** Plays a round to its `finished` part. Rejects with an UpstreamError. */
export async function play(options: PlayOptions): Promise<void> {
  const { provider, clock, signal, receive } = options;
  let parts: ProviderPart[] = [];
  let charactersLeft = options.outputTokensMax * CHARACTERS_PER_TOKEN;
  let output = 0;
  let reasoning = 0;
  let calls = 0;
  let messageCharacters = 0;
  let work = 0;
  let given: GivenCounts = {};

  // Like a real provider, nothing is emitted within the call itself.
  await Promise.resolve();
  const incompleteReason = await playSteps();
  parts.push({ type: "usage", usage: usage() });
  parts.push({ type: "finished", incompleteReason });
  await flush();

  async function playSteps(): Promise<string | null> {
    try {
      for (const step of options.steps) {
        if (step.do === "end") return step.reason;
        await playStep(step);
        await yieldSometimes();
      }
      return null;
    } catch (error) {
      if (error instanceof OutputSpent) return "max_output_tokens";
      throw error;
    }
  }

  async function playStep(step: Exclude<Step, { do: "end" }>): Promise<void> {
    switch (step.do) {
      case "say":
        return sayDeltas(step.deltas, step.pauseMs);
      case "refuse":
        emit(step.text, (text) => parts.push({ type: "refusal", text }));
        if (step.text === "") parts.push({ type: "refusal", text: "" });
        return;
      case "call":
        return call(step.name, step.arguments);
      case "reason":
        messageCharacters = 0;
        emit(step.text, (text) => {
          reasoning += countCharacters(text);
          parts.push({ type: "reasoning", summary: [text], encryptedContent: seal(text) });
        });
        return;
      case "cite":
        return cite(step.url, step.title);
      case "usage":
        given = step.usage;
        return;
      case "state":
        parts.push({ type: "state", state: step.state });
        return;
      case "wait":
        return wait(step.milliseconds);
      case "hang":
        return wait(null);
      case "fail":
        return fail(step.failure);
      default:
        return step satisfies never;
    }
  }

  async function sayDeltas(deltas: Iterable<string>, pauseMs: number): Promise<void> {
    let isFirst = true;
    for (const delta of deltas) {
      if (!isFirst && pauseMs > 0) await wait(pauseMs);
      isFirst = false;
      emit(delta, (text) => {
        messageCharacters += countCharacters(text);
        parts.push({ type: "text", text });
      });
      await yieldSometimes();
    }
  }

  async function call(name: string, callArguments: string): Promise<void> {
    const index = calls++;
    messageCharacters = 0;
    parts.push({ type: "call_started", index, callId: options.callId(index), name });
    for (const [delta] of callArguments.matchAll(ARGUMENTS_DELTAS)) {
      emit(delta, (text) => parts.push({ type: "call_arguments", index, delta: text }));
      await yieldSometimes();
    }
    if (callArguments.trim() !== "" && !isObjectText(callArguments)) parts.push(argumentsWarning(name));
    parts.push({ type: "call_finished", index });
  }

  function cite(url: string, title: string): void {
    if (messageCharacters === 0) {
      emit(title, (text) => {
        messageCharacters += countCharacters(text);
        parts.push({ type: "text", text });
      });
    }
    parts.push({
      type: "annotation",
      annotation: { type: "url_citation", url, title, start_index: 0, end_index: messageCharacters },
    });
  }

  /** Emits as much as the allowance still covers. */
  function emit(text: string, push: (text: string) => void): void {
    if (text === "") return;
    const size = countCharacters(text);
    if (size <= charactersLeft) {
      charactersLeft -= size;
      output += size;
      work += Math.floor(size / CHARACTERS_A_PART);
      push(text);
      return;
    }
    const kept = Array.from(text.slice(0, 2 * charactersLeft))
      .slice(0, charactersLeft)
      .join("");
    output += charactersLeft;
    charactersLeft = 0;
    if (kept !== "") push(kept);
    throw new OutputSpent();
  }

  async function fail(step: FailStep): Promise<never> {
    // Earlier output is delivered and counted.
    if (parts.length > 0 || output > 0) parts.push({ type: "usage", usage: usage() });
    await flush();
    const message = `${ERROR_MESSAGES[step.code]} (Simulated.)`;
    throw new UpstreamError({ ...step, message, provider, requestId: "req_simulated" });
  }

  function usage() {
    return countUsage({ input: options.inputCharacters, output, reasoning }, given);
  }

  async function flush(): Promise<void> {
    if (signal.aborted) throw stopped(provider);
    if (parts.length === 0) return;
    const ready = parts;
    parts = [];
    await receive(ready);
    if (signal.aborted) throw stopped(provider);
  }

  /** Yields to the event loop from time to time. */
  async function yieldSometimes(): Promise<void> {
    if (++work < WORK_A_TURN) return;
    work = 0;
    await flush();
    await new Promise(setImmediate);
    if (signal.aborted) throw stopped(provider);
  }

  /** Delivers pending parts, then waits; forever if `milliseconds` is null. */
  async function wait(milliseconds: number | null): Promise<void> {
    await flush();
    return new Promise((resolve, reject) => {
      const stopTimer = milliseconds === null ? () => {} : clock.after(milliseconds, wake);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();

      function wake(): void {
        signal.removeEventListener("abort", abort);
        resolve();
      }
      function abort(): void {
        stopTimer();
        reject(stopped(provider));
      }
    });
  }
}

function stopped(provider: string): UpstreamError {
  return new UpstreamError({ code: "canceled", message: "The turn was stopped.", provider, certainlyNotRun: false });
}

/** Simulated encrypted reasoning: opaque, and the same for the same text. */
function seal(text: string): string {
  return Buffer.from(`simulated:${text}`, "utf8").toString("base64");
}
