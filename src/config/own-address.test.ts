import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import { familyOf } from "../../test/support/family-of.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { rejectOwnAddress } from "./own-address.ts";

const PLACES = { host: "127.0.0.1", port: 8080, manageHost: "127.0.0.1", managePort: 8081 };

function check(baseUrl: string | null, places: Partial<typeof PLACES> = {}): void {
  const provider = { name: "openai", family: familyOf("openai"), apiKey: "k", baseUrl, because: "OPENAI_API_KEY" };
  rejectOwnAddress({ ...PLACES, ...places, providers: [provider] });
}

for (const [baseUrl, places] of [
  ["http://127.0.0.1:8080/v1", {}],
  ["http://localhost:8080/v1", {}],
  ["http://[::1]:8080", {}],
  ["http://127.0.0.1:8081/v1", {}],
  ["http://127.0.0.1/v1", { port: 80 }],
  [`http://${hostname()}:8080/v1`, { host: "0.0.0.0" }],
  ["http://127.0.0.1:8080/v1", { host: "::" }],
  ["http://gateway.internal:8080/v1", { host: "gateway.internal" }],
] as const) {
  test(`${baseUrl} is the service's own address with ${JSON.stringify(places)}: an error names the provider`, () => {
    assert.throws(
      () => check(baseUrl, places),
      (error: unknown) =>
        error instanceof OperatorError && /provider "openai".*OPENAI_BASE_URL to the provider's/.test(error.message),
    );
  });
}

for (const [baseUrl, places] of [
  [null, {}],
  ["http://127.0.0.1:11434/v1", {}],
  ["https://api.openai.com/v1", {}],
  ["http://ollama:8080/v1", {}],
  ["http://127.0.0.1:8080/v1", { host: "192.0.2.1", manageHost: "192.0.2.1" }],
  ["http://127.0.0.1/v1", { port: 0, managePort: 0 }],
] as const) {
  test(`${baseUrl} is another server's address with ${JSON.stringify(places)}`, () => {
    assert.doesNotThrow(() => check(baseUrl, places));
  });
}
