import { isKeyRejection, readApiKey, readBaseUrl, urlBelow } from "../../../src/providers/endpoint.ts";
import type { CreateKeyCheck } from "../../../src/providers/family.ts";

export const createToyKeyCheck: CreateKeyCheck = (entry) => ({
  url: urlBelow(readBaseUrl(entry, "https://toy.example"), "/models"),
  headers: { "x-toy-key": readApiKey(entry) ?? "" },
  rejectsKey: isKeyRejection,
});
