// Whether a key works: the list of models is answered to any good one, and costs nothing.
import { isKeyRefusal, type MakeKeyCheck, readApiKey, urlBelow } from "../family.ts";
import { readAddress } from "./provider.ts";

export const makeGeminiKeyCheck: MakeKeyCheck = (entry) => {
  const url = urlBelow(readAddress(entry), "/models");
  url.searchParams.delete("alt");
  return {
    url,
    headers: { "x-goog-api-key": readApiKey(entry) ?? "" },
    // A wrong key is an invalid argument here.
    refusesKey: (status, body) => isKeyRefusal(status) || (status === 400 && body.includes("API_KEY_INVALID")),
  };
};
