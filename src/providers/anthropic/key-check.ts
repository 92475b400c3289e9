// Whether a key works: the list of models is answered to any good one, and costs nothing.
import { isKeyRefusal, type MakeKeyCheck, readApiKey, urlBelow } from "../family.ts";
import { readMessagesUrl, WIRE_VERSION } from "./provider.ts";

export const makeAnthropicKeyCheck: MakeKeyCheck = (entry) => ({
  url: urlBelow(readMessagesUrl(entry), "/v1/models"),
  headers: { "anthropic-version": WIRE_VERSION, "x-api-key": readApiKey(entry) ?? "" },
  refusesKey: isKeyRefusal,
});
