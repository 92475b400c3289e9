import type { Provider } from "../../../src/ports/provider.ts";
import { checkByModels, readEndpoint } from "../../../src/providers/endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../../../src/providers/family.ts";
import { estimateUsage } from "../../../src/providers/wire/estimate.ts";

/** Needs no server: the reply is the last message in capitals. */
export const createToyProvider: CreateProvider = (entry): Provider => {
  endpointOf(entry);
  return {
    name: entry.name,
    reasoningOf: () => null,
    async run({ prompt }, receive) {
      const last = prompt.items.findLast((item) => item.type === "message");
      const text = (last?.text ?? "").toUpperCase();
      await receive([
        { type: "text", text },
        { type: "usage", usage: estimateUsage({ input: text.length, output: text.length, reasoning: 0 }) },
        { type: "finished", incompleteReason: null },
      ]);
    },
    async close() {},
  };
};

export const createToyKeyCheck: CreateKeyCheck = (entry) => checkByModels(endpointOf(entry));

function endpointOf(entry: FamilyEntry) {
  return readEndpoint(entry, { baseUrl: "https://toy.example", keyHeaders: (apiKey) => ["x-toy-key", apiKey] });
}
