// Gemini: generateContent of Google's Gemini API.
import type { Provider } from "../../ports/provider.ts";
import { type FamilyEntry, type ProviderFamily, readApiKey, readBaseUrl } from "../family.ts";
import { createTransport } from "../transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { refusedFailure } from "./failures.ts";
import { traitsOf } from "./model-traits.ts";
import { reportThinking } from "./thinking.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const API_VERSION = "v1beta";

/** A provider of `POST {base_url}/v1beta/models/{model}:streamGenerateContent`, always streamed. */
export const createGeminiProvider: ProviderFamily = (entry, { clock, ids }): Provider => {
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    provider: entry.name,
    baseUrl: readAddress(entry),
    headers: apiKey === null ? [] : ["x-goog-api-key", apiKey],
    clock,
  });
  const paths = new Map<string, string>();

  function pathOf(upstreamModel: string): string {
    let path = paths.get(upstreamModel);
    if (path === undefined) paths.set(upstreamModel, (path = encodePath(upstreamModel)));
    return path;
  }

  return {
    name: entry.name,
    reasoningOf: (model) => reportThinking(model.thinking, traitsOf(model.upstreamModel)),
    async run({ model, prompt, signal }, receive) {
      const path = pathOf(model.upstreamModel);
      const { request, toolNames } = encode(model, prompt);
      const decoder = createDecoder({
        apiKey,
        prompt,
        originalToolName: (name) => toolNames.fromWire(name),
        mintCallId: () => ids.mintCallId(),
        receive,
      });
      // An answer that the provider divides is asked for piece by piece, by the same request and the token of the last piece.
      let continuationToken: string | null = null;
      do {
        const isFirst: boolean = continuationToken === null;
        await transport.post({
          path,
          body: JSON.stringify(isFirst ? request : { ...request, continuationToken }),
          signal,
          hasRun: !isFirst,
          read: (head) => decoder.read(head),
          refuse: (head, body) => refusedFailure({ head, body, apiKey, model, nowMs: clock.nowMs(), isFirst }),
        });
        continuationToken = decoder.continuationToken();
      } while (continuationToken !== null);
    },
    close: () => transport.close(),
  };
};

/** The address with the version behind it, unless it ends in one, and with the query that makes an answer an event stream. */
export function readAddress(entry: FamilyEntry): URL {
  const url = readBaseUrl({ ...entry, baseUrl: entry.baseUrl ?? DEFAULT_BASE_URL });
  const path = url.pathname.replace(/\/+$/, "");
  if (!/\/v\d+(alpha|beta)?$/.test(path)) url.pathname = `${path}/${API_VERSION}`;
  url.searchParams.set("alt", "sse");
  return url;
}

/** Tuned models have a collection of their own, named along with them. */
function encodePath(upstreamModel: string): string {
  const name = upstreamModel.includes("/") ? upstreamModel : `models/${upstreamModel}`;
  return `/${name.split("/").map(encodeURIComponent).join("/")}:streamGenerateContent`;
}
