// Checks a key with a request for the list of models, which is free.
import { isKeyRejection, readApiKey, urlBelow } from "../endpoint.ts";
import type { CreateKeyCheck } from "../family.ts";
import { readAddress } from "./provider.ts";

export const createOpenAiKeyCheck: CreateKeyCheck = (entry) => ({
  url: urlBelow(readAddress(entry), "/models"),
  headers: { authorization: `Bearer ${readApiKey(entry) ?? ""}` },
  rejectsKey: isKeyRejection,
});
