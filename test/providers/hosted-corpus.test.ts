// The recorded responses of each family, received through its hosts: the same parts as from its maker.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { Ids } from "../../src/ports/ids.ts";
import { type ProviderPart, UpstreamError } from "../../src/ports/provider.ts";
import type { HostSettings } from "../../src/providers/host.ts";
import { createProviderRegistry, type ProviderEntry } from "../../src/providers/registry.ts";
import { familyOf } from "../support/family-of.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import { foldParts, sampleModel, samplePrompt } from "../support/provider-samples.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { CORPUS as ANTHROPIC } from "./anthropic/corpus.ts";
import { CORPUS as GEMINI } from "./gemini/corpus.ts";
import { CORPUS as OPENAI } from "./openai/corpus.ts";

/** The responses of the next requests. */
let replies: readonly Buffer[] = [];
const server = createServer((request, response) => {
  request.resume();
  const [reply = "", ...rest] = replies;
  response.writeHead(200, { "content-type": "text/event-stream" }).end(reply);
  replies = rest;
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** What a provider makes of a recorded response. */
async function receive(entry: Omit<ProviderEntry, "name" | "baseUrl">, responses: readonly Buffer[]) {
  let minted = 0;
  const ids = { mintCallId: () => `minted_${++minted}` } as Ids;
  const registry = await createProviderRegistry([{ name: "it", baseUrl, ...entry }], {
    ...HOST_SERVICES,
    clock: createSystemClock(),
    ids,
  });
  const parts: ProviderPart[] = [];
  replies = responses;
  const model = sampleModel({ provider: "it", upstreamModel: "some-model" });
  const call = {
    model,
    prompt: samplePrompt("?"),
    thread: "t",
    cacheKey: () => "",
    signal: new AbortController().signal,
  };
  const failure = await registry
    .get("it")
    .run(call, (ready) => void parts.push(...ready))
    .then(
      () => null,
      (error: unknown) => (error instanceof UpstreamError ? error.code : assert.fail(String(error))),
    );
  await registry.close();
  return { failure, folded: foldParts(parts) };
}

const place = { project: "my-project", region: "eu" };
const bearer = { headers: { authorization: "Bearer t" } };
/** The responses of one round. */
interface Recorded {
  readonly name: string;
  readonly responses: readonly Buffer[];
}

const alone = ({ name, bytes }: { readonly name: string; readonly bytes: Buffer }) => ({ name, responses: [bytes] });
const HOSTED: readonly (readonly [string, readonly Recorded[], HostSettings, object])[] = [
  ["openai", OPENAI.map(alone), { type: "azure" }, {}],
  ["anthropic", ANTHROPIC.map(alone), { type: "vertex", ...place }, { apiKey: null, ...bearer }],
  ["gemini", GEMINI, { type: "vertex", ...place }, { apiKey: null, ...bearer }],
];
for (const [type, corpus, hostSettings, credentials] of HOSTED) {
  test(`what ${type} models say is the same on ${hostSettings.type}`, async () => {
    assert.ok(corpus.length > 20);
    const outputs = new Set<string>();
    const entry = { family: familyOf(type), apiKey: "secret-key" };
    for (const { name, responses } of corpus) {
      // oxlint-disable-next-line no-await-in-loop -- one response at a time
      const hosted = await receive({ ...entry, ...credentials, hostSettings }, responses);
      // oxlint-disable-next-line no-await-in-loop -- one response at a time
      assert.deepEqual(hosted, await receive(entry, responses), name);
      outputs.add(JSON.stringify(hosted));
    }
    // They were received.
    assert.ok(outputs.size > 20, String(outputs.size));
  });
}
