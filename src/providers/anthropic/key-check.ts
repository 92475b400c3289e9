// Checks a key by listing models, which is free and works with any valid key.
import { isKeyRejection, readApiKey, urlBelow } from "../endpoint.ts";
import type { CreateKeyCheck } from "../family.ts";
import { readApiUrl, WIRE_VERSION } from "./provider.ts";

export const createAnthropicKeyCheck: CreateKeyCheck = (entry) => ({
  url: urlBelow(readApiUrl(entry), "/v1/models"),
  headers: { "anthropic-version": WIRE_VERSION, "x-api-key": readApiKey(entry) ?? "" },
  rejectsKey: isKeyRejection,
});
