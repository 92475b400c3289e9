// The service on a fake of Gemini's server, with the requests and checks of its tests.
import { after, beforeEach } from "node:test";
import type { ProviderRegistry } from "../../../src/ports/provider.ts";
import { GEMINI_MODELS } from "../../../src/providers/gemini/models.ts";
import { createProviderRegistry } from "../../../src/providers/registry.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { createIds } from "../../../src/system/ids.ts";
import { familyOf } from "../../support/family-of.ts";
import { TestService, testModel } from "../../support/service.ts";
import { startGeminiServer } from "./gemini-server.ts";

export const KEY = "AIza-canary";

export const server = await startGeminiServer();

const providers: ProviderRegistry = await createProviderRegistry(
  [
    { name: "gemini", family: familyOf("gemini"), baseUrl: server.baseUrl, apiKey: KEY },
    { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null },
  ],
  { clock: createSystemClock(), ids: createIds() },
);

export const service = await TestService.start({
  providers,
  models: [...GEMINI_MODELS, testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" })],
});

after(async () => {
  await service.close();
  await providers.close();
  await server.wire.close();
});

export const MODEL = "google/gemini-3.8-flash";

let asked = 0;

beforeEach(() => {
  asked = server.bodies.length;
});

/** The bodies that the provider got in this test. */
export const bodies = () => server.bodies.slice(asked);

export const create = (body: object) => service.create({ model: MODEL, ...body });
