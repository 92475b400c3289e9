// What of a provider's part counts as output, for limits and for the bill. @spec resources/usage
import { countCharacters } from "../../contract/characters.ts";
import type { ProviderPart } from "../../ports/provider.ts";

/** Characters of output that a part is; 0 for parts that tell of the turn. */
export function outputCharactersOf(part: ProviderPart): number {
  switch (part.type) {
    case "text":
    case "refusal":
      return countCharacters(part.text);
    case "call_arguments":
      return countCharacters(part.delta);
    case "reasoning":
      return part.summary.reduce((sum, text) => sum + countCharacters(text), 0);
    default:
      return 0;
  }
}
