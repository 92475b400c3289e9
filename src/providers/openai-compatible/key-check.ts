// Whether a server is there, and takes the key where it wants one: nearly all of them list their models.
import { isKeyRefusal, type MakeKeyCheck, readApiKey, readBaseUrl, urlBelow } from "../family.ts";

export const makeOpenAiCompatibleKeyCheck: MakeKeyCheck = (entry) => {
  const apiKey = readApiKey(entry);
  return {
    url: urlBelow(readBaseUrl(entry), "/models"),
    headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
    refusesKey: isKeyRefusal,
  };
};
