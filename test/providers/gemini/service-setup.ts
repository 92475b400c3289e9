// The service on a fake of Gemini's server, with the requests and checks of its tests.
import { after, beforeEach } from "node:test";
import { GEMINI_MODELS } from "../../../src/providers/gemini/models.ts";
import { familyOf } from "../../support/family-of.ts";
import { testModel } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import { startGeminiServer } from "./gemini-server.ts";
import { openProviders } from "../../support/provider-registry.ts";

export const KEY = "AIza-canary";

export const MODEL = "google/gemini-3.8-flash";

const OLDER_MODELS = ["gemini-2.5-flash-lite", "gemma-3-27b-it"];

/** The service of a file and its fake, the bodies that the fake got in the test that runs, and one create. */
export async function startOnGemini() {
  const server = await startGeminiServer();
  const providers = await openProviders([
    { name: "gemini", family: familyOf("gemini"), baseUrl: server.baseUrl, apiKey: KEY },
    { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null },
  ]);
  const service = await TestService.start({
    providers,
    models: [
      ...GEMINI_MODELS,
      ...OLDER_MODELS.map((name) => testModel(`google/${name}`, { provider: "gemini", upstreamModel: name })),
      testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" }),
    ],
  });
  after(async () => {
    await service.close();
    await providers.close();
    await server.wire.close();
  });
  let asked = 0;
  beforeEach(() => {
    asked = server.bodies.length;
  });
  return {
    server,
    service,
    bodies: () => server.bodies.slice(asked),
    create: (body: object) => service.create({ model: MODEL, ...body }),
  };
}
