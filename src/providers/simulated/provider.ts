// The built-in provider: no network, no account, the same output for the same input.
import { createHash } from "node:crypto";
import type { CatalogModel } from "../../core/catalog.ts";
import { type Provider, type ProviderCall, ProviderFailure, type ReportedReasoning } from "../../ports/provider.ts";
import { countPromptCharacters } from "../estimate.ts";
import type { ProviderFamily } from "../family.ts";
import { toEffort } from "../reasoning.ts";
import { SCENARIOS } from "./models.ts";
import { plan } from "./plan.ts";
import { play } from "./play.ts";
import { DirectiveError, type Step } from "./steps.ts";

/** A provider of simulated models; an unknown upstream model is an echo. */
export const createSimulatedProvider: ProviderFamily = ({ name }, { clock }): Provider => ({
  name,
  reasoningOf: reportThinking,
  async run(call, receive) {
    const { prompt, signal } = call;
    await play({
      provider: name,
      steps: planOrFail(name, call),
      inputCharacters: countPromptCharacters(prompt),
      outputTokensMax: prompt.maxOutputTokens,
      clock,
      signal,
      receive,
      callId: (index) => callId(call, index),
    });
  },
  async close() {},
});

function planOrFail(provider: string, { prompt, model }: ProviderCall): readonly Step[] {
  try {
    return plan({ modelId: model.id, ownText: SCENARIOS.get(model.upstreamModel) ?? "", prompt });
  } catch (error) {
    if (!(error instanceof DirectiveError)) throw error;
    throw new ProviderFailure({
      code: "provider_client_error",
      message: error.message,
      provider,
      status: 400,
      certainlyNotRun: false,
      cause: error,
    });
  }
}

/** Simulated models give their thoughts whole. */
function reportThinking({ thinking }: CatalogModel): ReportedReasoning {
  if (thinking === "none") return null;
  return { effort: "effort" in thinking ? toEffort(thinking.effort) : null, summary: "auto" };
}

/** A call_id that follows from what the model was sent: other rounds and other histories have others. */
function callId({ prompt, model }: ProviderCall, index: number): string {
  const seen = JSON.stringify([model.id, index, prompt.items]);
  return `call_${createHash("sha256").update(seen).digest("hex").slice(0, 24)}`;
}
