// Provider of the simulated models: no network, no account, the same output for the same input.
import { createHash, type Hash } from "node:crypto";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { type Provider, type ProviderCall, UpstreamError, type ReportedReasoning } from "../../ports/provider.ts";
import { countPromptCharacters } from "../wire/estimate.ts";
import type { CreateProvider } from "../family.ts";
import { equivalentEffort } from "../wire/reasoning.ts";
import { SCENARIO_TABLE } from "./models.ts";
import { plan } from "./plan.ts";
import { play } from "./play.ts";
import { DirectiveError, type Step } from "./steps.ts";

/** Creates a provider of simulated models; an unknown upstream model is an echo. */
export const createSimulatedProvider: CreateProvider = ({ name }, { clock }): Provider => ({
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
      callId: createCallIds(call),
    });
  },
  async close() {},
});

function planOrFail(provider: string, { prompt, model }: ProviderCall): readonly Step[] {
  try {
    const ownText = SCENARIO_TABLE.get(model.upstreamModel)?.directives ?? "";
    return plan({ modelId: model.id, ownText, prompt });
  } catch (error) {
    if (!(error instanceof DirectiveError)) throw error;
    throw new UpstreamError({
      code: "provider_client_error",
      message: error.message,
      provider,
      status: 400,
      certainlyNotRun: false,
      cause: error,
    });
  }
}

function reportThinking(model: CatalogModel): ReportedReasoning {
  const effort = equivalentEffort(model);
  return effort === null ? null : { effort, summary: "auto" };
}

/** Derives call_ids from the prompt and the call's index, so that they differ between rounds and histories. */
function createCallIds({ prompt, model }: ProviderCall): (index: number) => string {
  let seen: Hash | null = null;
  return (index) => {
    // Hashed once for all calls.
    seen ??= createHash("sha256").update(JSON.stringify([model.id, prompt.items]));
    return `call_${seen.copy().update(String(index)).digest("hex").slice(0, 24)}`;
  };
}
