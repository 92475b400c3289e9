// The exchanges of a prompt as each family sends them, and the output of a model with a state that every family
// replays.
import assert from "node:assert/strict";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { Prompt } from "../../src/core/response/prompt.ts";
import { encode as encodeAnthropic } from "../../src/providers/anthropic/encode.ts";
import { encode as encodeGemini } from "../../src/providers/gemini/encode.ts";
import { encode as encodeOpenAi } from "../../src/providers/openai/encode.ts";
import { encode as encodeChat } from "../../src/providers/openai-compatible/encode.ts";
import type { Loose } from "../support/http-client.ts";
import { type Act, FINISHED } from "../support/scripted-provider.ts";
import { testModel } from "../support/service-config.ts";

/** A call and its result, each by what the test wrote into it. */
export interface Exchange {
  readonly call: string;
  readonly result: string;
}

/** A call or a result on a wire. */
type Sent = { readonly id: string } & ({ readonly call: string } | { readonly result: string });

const OPENAI_MODEL = "gpt-6.1-terra";

/** Reads the calls and results of a request, by the model that it is encoded for. */
const WIRES: Readonly<Record<string, (model: CatalogModel, prompt: Prompt) => readonly Sent[]>> = {
  "claude-opus-5": (model, prompt) =>
    bodyOf(encodeAnthropic(model, prompt)).messages.flatMap(({ content }: Loose) => blocksOf(content)),
  "gemini-3.8-flash": (model, prompt) => readContents(bodyOf(encodeGemini(model, prompt)).contents),
  [OPENAI_MODEL]: (model, prompt) => bodyOf(encodeOpenAi(model, prompt, "cache")).input.flatMap(readItem),
  "gpt-4o": (model, prompt) => bodyOf(encodeChat(model, prompt)).messages.flatMap(readMessage),
  // Of those with ids of nine characters.
  "mistral-large": (model, prompt) => bodyOf(encodeChat(model, prompt)).messages.flatMap(readMessage),
};

/**
 * The exchanges that every family is sent for a prompt. Asserts that all families are sent the same, that no id comes
 * twice, and that every call has its result, and every result its call before it.
 */
export function exchangesOf(prompt: Prompt): readonly Exchange[] {
  let expected: readonly Exchange[] | null = null;
  for (const [upstreamModel, read] of Object.entries(WIRES)) {
    const exchanges = pair(read(testModel(upstreamModel, { upstreamModel }), prompt), upstreamModel);
    assert.deepEqual(exchanges, (expected ??= exchanges), upstreamModel);
  }
  return expected ?? [];
}

function pair(sent: readonly Sent[], wire: string): Exchange[] {
  const calls = new Map<string, string>();
  const results = new Map<string, string>();
  for (const each of sent) {
    if ("call" in each) {
      assert.ok(!calls.has(each.id), `${wire}: ${each.id} twice`);
      calls.set(each.id, each.call);
    } else {
      assert.ok(calls.has(each.id), `${wire}: a result of ${each.id} without its call`);
      assert.ok(!results.has(each.id), `${wire}: two results of ${each.id}`);
      results.set(each.id, each.result);
    }
  }
  return Array.from(calls, ([id, call]) => {
    const result = results.get(id);
    assert.ok(result !== undefined, `${wire}: ${id} has no result`);
    return { call, result };
  }).toSorted((one, other) => one.call.localeCompare(other.call));
}

/** A request as it is on the wire. */
function bodyOf({ request }: { readonly request: object }): Loose {
  return JSON.parse(JSON.stringify(request));
}

function blocksOf(content: Loose): Sent[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: Loose): Sent[] => {
    if (block.type === "tool_use") return [{ id: block.id, call: block.input.mark }];
    if (block.type !== "tool_result") return [];
    const { tool_use_id: id, content: inner } = block;
    return [{ id, result: typeof inner === "string" ? inner : inner[0].text }];
  });
}

/** Without ids, a result belongs to the call of the content before it that is in its place. */
function readContents(contents: readonly Loose[]): Sent[] {
  return contents.flatMap(({ parts }: Loose, at: number): Sent[] => {
    const calls = parts.filter(({ functionCall }: Loose) => functionCall !== undefined);
    const results = parts.filter(({ functionResponse }: Loose) => functionResponse !== undefined);
    return [
      ...calls.map(({ functionCall }: Loose, place: number) => {
        return { id: functionCall.id ?? `${at}.${place}`, call: functionCall.args.mark };
      }),
      ...results.map(({ functionResponse }: Loose, place: number) => {
        return { id: functionResponse.id ?? `${at - 1}.${place}`, result: functionResponse.response.output };
      }),
    ];
  });
}

function readItem({ type, call_id: id, arguments: text, output }: Loose): Sent[] {
  if (type === "function_call") return [{ id, call: JSON.parse(text).mark }];
  return type === "function_call_output" ? [{ id, result: output }] : [];
}

function readMessage({ role, tool_calls: calls = [], tool_call_id: id, content }: Loose): Sent[] {
  if (role === "tool") return [{ id, result: content }];
  return calls.map((call: Loose) => ({ id: call.id, call: JSON.parse(call.function.arguments).mark }));
}

/** What a model does. */
export interface Play {
  /** The call_ids of its calls. */
  readonly callIds: readonly string[];
  readonly isIncomplete: boolean;
  readonly hasState: boolean;
  readonly isHeld: boolean;
}

/** Its script, with these calls. */
export function actsOf(calls: readonly { callId: string; mark: string }[], { isIncomplete, hasState }: Play): Act[] {
  const parts: Act = calls.flatMap(({ callId, mark }, index) => [
    { type: "call_started", index, callId, name: "look_up" } as const,
    { type: "call_arguments", index, delta: JSON.stringify({ mark }) } as const,
    { type: "call_finished", index } as const,
  ]);
  const state: Act = hasState && calls.length > 0 ? [{ type: "state", state: stateOf(calls, calls.length > 1) }] : [];
  const end: Act = isIncomplete ? [{ type: "finished", incompleteReason: "max_output_tokens" }] : FINISHED;
  return [calls.length === 0 ? [{ type: "text", text: "Well." }] : parts, state, end];
}

/** The state of a round with these calls: that of every family in one object. `hasIds`: Gemini's parts have ids. */
function stateOf(calls: readonly { callId: string; mark: string }[], hasIds: boolean): object {
  return {
    blocks: [
      { type: "thinking", thinking: "Well.", signature: "signed" },
      ...calls.map(({ callId }) => ({ type: "call", callId })),
    ],
    parts: calls.map(({ callId, mark }) => ({
      functionCall: { ...(hasIds ? { id: callId } : {}), name: "look_up", args: { mark } },
    })),
    callIds: calls.map(({ callId }) => callId),
    model: OPENAI_MODEL,
    items: calls.map(({ callId, mark }) => {
      return { type: "function_call", call_id: callId, name: "look_up", arguments: JSON.stringify({ mark }) };
    }),
    calls: Object.fromEntries(calls.map(({ callId, mark }) => [callId, { extra_content: { mark } }])),
  };
}
