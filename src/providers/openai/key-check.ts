// Whether a key works: the list of models is answered to any good one, and costs nothing.
import { isKeyRefusal, type MakeKeyCheck, readApiKey, urlBelow } from "../family.ts";
import { readAddress } from "./provider.ts";

export const makeOpenAiKeyCheck: MakeKeyCheck = (entry) => ({
  url: urlBelow(readAddress(entry), "/models"),
  headers: { authorization: `Bearer ${readApiKey(entry) ?? ""}` },
  refusesKey: isKeyRefusal,
});
