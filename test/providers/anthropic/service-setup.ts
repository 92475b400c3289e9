// The service on a fake of Anthropic's server.
import { ANTHROPIC_MODELS } from "../../../src/providers/anthropic/models.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "../../support/fake-messages.ts";
import type { Reply, Loose } from "../../support/http-client.ts";
import { testModel } from "../../support/service-config.ts";
import { startOnFake, textsOf } from "../service-on-fake.ts";

export const MODEL = "anthropic/claude-opus-5-5";

export const textOf = (reply: Reply) => textsOf(reply).join("|");

export const codesOf = ({ json }: Reply) => (json["svc:warnings"] ?? []).map(({ code }: Loose) => code);

export const startOnAnthropic = () =>
  startOnFake({
    family: "anthropic",
    wire: MESSAGES_WIRE,
    apiKey: MESSAGES_KEY,
    model: MODEL,
    models: [
      ...ANTHROPIC_MODELS,
      testModel("anthropic/older", {
        provider: "anthropic",
        upstreamModel: "claude-haiku-4-5-20251001",
        thinking: { budgetTokens: 2_000 },
      }),
      testModel("wrong-key/claude", { provider: "wrong-key", upstreamModel: "claude-opus-5" }),
    ],
  });
