// Checks that the server responds, and accepts the key if there is one: nearly every server lists its models.
import { isKeyRejection, readApiKey, readBaseUrl, urlBelow } from "../endpoint.ts";
import type { CreateKeyCheck } from "../family.ts";

export const createOpenAiCompatibleKeyCheck: CreateKeyCheck = (entry) => {
  const apiKey = readApiKey(entry);
  return {
    url: urlBelow(readBaseUrl(entry), "/models"),
    headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
    rejectsKey: isKeyRejection,
  };
};
