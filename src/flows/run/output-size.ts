// The size of a provider's part: its characters for limits and charges, its bytes for memory. @spec resources/usage
import { countCharacters } from "../../contract/characters.ts";
import { countJsonBytes } from "../../base/json-size.ts";
import type { ProviderPart } from "../../ports/provider.ts";

/** Characters of output in a part; 0 for a part that only reports on the turn. */
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

/** Rough overhead of an item besides its texts, in all places where it is kept. */
const BYTES_PER_ITEM = 500;

/** Bytes of output in a part, as JSON; 0 for a part that only reports on the turn. */
export function outputBytesOf(part: ProviderPart): number {
  switch (part.type) {
    case "text":
    case "refusal":
      return countJsonBytes(part.text);
    case "call_arguments":
      return countJsonBytes(part.delta);
    case "call_started":
      return BYTES_PER_ITEM + countJsonBytes(part.callId) + countJsonBytes(part.name);
    case "annotation":
      return BYTES_PER_ITEM + countJsonBytes(part.annotation.url) + countJsonBytes(part.annotation.title);
    case "reasoning":
      return part.summary.reduce(
        (sum, text) => sum + countJsonBytes(text),
        BYTES_PER_ITEM + countJsonBytes(part.encryptedContent ?? ""),
      );
    case "message_started":
      return BYTES_PER_ITEM;
    default:
      return 0;
  }
}
