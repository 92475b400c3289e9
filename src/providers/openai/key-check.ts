// Checks a key with a request for the list of models, which is free.
import { isKeyRejection, readApiKey, readBaseUrl, urlBelow } from "../endpoint.ts";
import type { CreateKeyCheck } from "../family.ts";
import { DEFAULT_BASE_URL } from "./provider.ts";

export const createOpenAiKeyCheck: CreateKeyCheck = (entry) => ({
  url: urlBelow(readBaseUrl(entry, DEFAULT_BASE_URL), "/models"),
  headers: { authorization: `Bearer ${readApiKey(entry) ?? ""}` },
  rejectsKey: isKeyRejection,
});
