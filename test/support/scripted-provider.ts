// A provider that plays a test's script and records its calls.
import type { Provider, ProviderCall, ProviderPart, ProviderRegistry } from "../../src/ports/provider.ts";
import { reportEffort } from "../../src/providers/wire/reasoning.ts";
import { UpstreamError, type UpstreamErrorDetail } from "../../src/ports/provider.ts";

/** One act of a script: parts that arrive together, a pause until something happens, or a failure. */
export type Act = readonly ProviderPart[] | Promise<unknown> | Error;
export type Script = readonly Act[] | ((call: ProviderCall) => Iterable<Act>);

/** An output of one text, with a usage whose input and output differ. */
export function says(text: string): readonly Act[] {
  return [[{ type: "text", text }], FINISHED];
}

/** One function call, whole. */
export function calls(...made: { callId: string; name?: string; args?: string }[]): readonly Act[] {
  return [
    made.flatMap(({ callId, name = "look_up", args = "{}" }, index): ProviderPart[] => [
      { type: "call_started", index, callId, name },
      { type: "call_arguments", index, delta: args },
      { type: "call_finished", index },
    ]),
    FINISHED,
  ];
}

export const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 15,
};

/** The end of an output: usage, then finished. */
export const FINISHED: readonly ProviderPart[] = [
  { type: "usage", usage: USAGE },
  { type: "finished", incompleteReason: null },
];

/** A provider failure with a code. */
export function fails(code: UpstreamErrorDetail["code"], more: Partial<UpstreamErrorDetail> = {}): UpstreamError {
  return new UpstreamError({
    code,
    message: `scripted ${code}`,
    provider: "scripted",
    certainlyNotRun: false,
    ...more,
  });
}

export class ScriptedProvider implements Provider {
  readonly name = "scripted";
  /** Every call in its order. */
  readonly calls: ProviderCall[] = [];
  /** How many were aborted before they ended. */
  aborted = 0;
  readonly #scripts: Script[] = [];

  /** Queues scripts for the next calls, one each; without a script a call outputs "ok". */
  plays(...scripts: Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Queues a text that is said once the test calls the function that is returned. */
  playsLater(text: string): () => void {
    const { opened, open } = gate();
    this.plays([opened, ...says(text)]);
    return open;
  }

  /** Drops scripts that no call has played. */
  forgets(): void {
    this.#scripts.length = 0;
  }

  /** Reports an effort, like a wire that has one. */
  readonly reasoningOf = reportEffort;

  async run(call: ProviderCall, receive: (parts: readonly ProviderPart[]) => void): Promise<void> {
    this.calls.push(call);
    const script = this.#scripts.shift() ?? says("ok");
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => {
        this.aborted++;
        reject(fails("provider_unavailable"));
      };
      if (call.signal.aborted) abort();
      else call.signal.addEventListener("abort", abort, { once: true });
    });
    aborted.catch(() => {});
    for (const act of typeof script === "function" ? script(call) : script) {
      if (act instanceof Error) throw act;
      if (act instanceof Promise) await Promise.race([act, aborted]);
      else receive(act);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** A registry with this provider under every name. */
  get registry(): ProviderRegistry {
    return { get: () => this, close: () => this.close() };
  }
}

/** A promise that the test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
