// Steps become parts, at their pace, cut where the output allowance ends.
import { countCharacters } from "../../contract/characters.ts";
import type { Clock } from "../../ports/clock.ts";
import { ProviderFailure, type ProviderPart } from "../../ports/provider.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import { argumentsWarning, isWhole } from "../calls.ts";
import { FAILURE_SENTENCES } from "../verdict.ts";
import type { FailStep, Step } from "./steps.ts";
import { countUsage, type UsageOverride } from "./usage.ts";

export interface Performance {
  readonly provider: string;
  readonly steps: readonly Step[];
  readonly inputCharacters: number;
  /** Tokens that may be put out. */
  readonly outputTokensMax: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  receive(parts: readonly ProviderPart[]): void;
  /** The call_id of the call with that index. */
  callId(index: number): string;
}

/** Arguments are streamed in pieces of this many characters. */
const ARGUMENTS_DELTA_CHARACTERS = 16;

/** Thrown inside a performance where its output is cut. */
class OutputSpent extends Error {}

/** Plays a round to its `finished` part; rejects with a ProviderFailure. */
export async function play(performance: Performance): Promise<void> {
  const { provider, clock, signal, receive } = performance;
  let parts: ProviderPart[] = [];
  let charactersLeft = performance.outputTokensMax * CHARACTERS_PER_TOKEN;
  let output = 0;
  let reasoning = 0;
  let calls = 0;
  let messageCharacters = 0;
  let given: UsageOverride | null = null;

  // A real provider never answers within the call.
  await Promise.resolve();
  const incompleteReason = await playSteps();
  parts.push({ type: "usage", usage: usage() });
  parts.push({ type: "finished", incompleteReason });
  flush();

  async function playSteps(): Promise<string | null> {
    try {
      for (const step of performance.steps) {
        if (step.do === "end") return step.reason;
        await playStep(step);
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
        putOut(step.text, (text) => parts.push({ type: "refusal", text }));
        if (step.text === "") parts.push({ type: "refusal", text: "" });
        return;
      case "call":
        return call(step.name, step.arguments);
      case "reason":
        messageCharacters = 0;
        putOut(step.text, (text) => {
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
      putOut(delta, (text) => {
        messageCharacters += countCharacters(text);
        parts.push({ type: "text", text });
      });
    }
  }

  function call(name: string, callArguments: string): void {
    const index = calls++;
    messageCharacters = 0;
    parts.push({ type: "call_started", index, callId: performance.callId(index), name });
    const characters = Array.from(callArguments);
    for (let start = 0; start < characters.length; start += ARGUMENTS_DELTA_CHARACTERS) {
      const delta = characters.slice(start, start + ARGUMENTS_DELTA_CHARACTERS).join("");
      putOut(delta, (text) => parts.push({ type: "call_arguments", index, delta: text }));
    }
    if (callArguments.trim() !== "" && !isWhole(callArguments)) parts.push(argumentsWarning(name));
    parts.push({ type: "call_finished", index });
  }

  function cite(url: string, title: string): void {
    if (messageCharacters === 0) {
      putOut(title, (text) => {
        messageCharacters += countCharacters(text);
        parts.push({ type: "text", text });
      });
    }
    parts.push({
      type: "annotation",
      annotation: { type: "url_citation", url, title, start_index: 0, end_index: messageCharacters },
    });
  }

  /** Puts out as much as the allowance still covers. */
  function putOut(text: string, push: (text: string) => void): void {
    if (text === "") return;
    const size = countCharacters(text);
    if (size <= charactersLeft) {
      charactersLeft -= size;
      output += size;
      push(text);
      return;
    }
    const kept = Array.from(text).slice(0, charactersLeft).join("");
    output += charactersLeft;
    charactersLeft = 0;
    if (kept !== "") push(kept);
    throw new OutputSpent();
  }

  function fail(step: FailStep): never {
    // What was put out before is heard, and counted.
    if (parts.length > 0 || output > 0) parts.push({ type: "usage", usage: usage() });
    flush();
    throw new ProviderFailure({
      code: step.code,
      message: step.message ?? `${FAILURE_SENTENCES[step.code]} (Simulated.)`,
      provider,
      status: step.status,
      requestId: "req_simulated",
      retryAfterSeconds: step.retryAfterSeconds,
      certainlyNotRun: step.certainlyNotRun,
    });
  }

  function usage() {
    return countUsage({ input: performance.inputCharacters, output, reasoning }, given);
  }

  function flush(): void {
    if (signal.aborted) throw stopped(provider);
    if (parts.length === 0) return;
    const ready = parts;
    parts = [];
    receive(ready);
  }

  /** Hands over what there is, then waits; for ever when `milliseconds` is null. */
  function wait(milliseconds: number | null): Promise<void> {
    flush();
    return new Promise((resolve, reject) => {
      const stopTimer = milliseconds === null ? () => {} : clock.after(milliseconds, awake);
      signal.addEventListener("abort", abandon, { once: true });
      if (signal.aborted) abandon();

      function awake(): void {
        signal.removeEventListener("abort", abandon);
        resolve();
      }
      function abandon(): void {
        stopTimer();
        reject(stopped(provider));
      }
    });
  }
}

function stopped(provider: string): ProviderFailure {
  return new ProviderFailure({ code: "canceled", message: "The turn was stopped.", provider, certainlyNotRun: false });
}

/** Stands for encrypted reasoning: opaque, and the same for the same text. */
function seal(text: string): string {
  return Buffer.from(`simulated:${text}`, "utf8").toString("base64");
}
