// Checks a key by listing models, which is free and works with any valid key.
import { isKeyRejection, readApiKey, urlBelow } from "../endpoint.ts";
import type { CreateKeyCheck } from "../family.ts";
import { readApiUrl } from "./provider.ts";

export const createGeminiKeyCheck: CreateKeyCheck = (entry) => {
  const url = urlBelow(readApiUrl(entry), "/models");
  url.searchParams.delete("alt");
  return {
    url,
    headers: { "x-goog-api-key": readApiKey(entry) ?? "" },
    // A wrong key is reported as an invalid argument.
    rejectsKey: (status, body) => isKeyRejection(status) || (status === 400 && body.includes("API_KEY_INVALID")),
  };
};
