/** ADAPTER: streams through the adapter of the family or host WIRE, as in the service, from the provider at PROVIDER. */
import { familyOf } from "../../test/support/family-of.ts";
import { sampleModel, samplePrompt } from "../../test/support/provider-samples.ts";
import { openProviders } from "../../test/support/provider-registry.ts";
import { INPUT } from "../load/turn.ts";
import { givenFamily, givenHost, givenProviderUrl } from "./given.ts";
import { serveStreams } from "./streams.ts";

const { apiKey = "none", hostSettings, headers } = givenHost() ?? {};
const entry = {
  name: "bench",
  family: familyOf(givenFamily()),
  baseUrl: givenProviderUrl(),
  apiKey,
  ...(hostSettings !== undefined && { hostSettings }),
  ...(headers !== undefined && { headers }),
};
const registry = await openProviders([entry]);
const provider = registry.get(entry.name);
const model = sampleModel({ id: "bench/fake-burst", provider: entry.name, upstreamModel: "fake-burst" });
const prompt = samplePrompt(INPUT);

serveStreams((onDelta) =>
  provider.run(
    { model, prompt, thread: "t", cacheKey: () => "bench", signal: new AbortController().signal },
    (parts) => {
      for (const part of parts) if (part.type === "text") onDelta(part.text);
    },
  ),
);
