import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { UpstreamError } from "../../ports/provider.ts";
import { errorOfResponse as refusedByAnthropic, errorInStream as brokenByAnthropic } from "../anthropic/failures.ts";
import type { ErrorResponse } from "./errors.ts";
import type { HttpHead } from "./exchange.ts";
import { errorOfResponse as refusedByGemini, errorInStream as brokenByGemini } from "../gemini/failures.ts";
import { errorOfResponse as refusedByOpenAi, errorInStream as brokenByOpenAi } from "../openai/failures.ts";
import { errorOfResponse as refusedByChat, errorInStream as brokenByChat } from "../openai-compatible/failures.ts";
import type { UpstreamErrorCode } from "./error-codes.ts";

interface Wire {
  readonly refused: (answer: ErrorResponse) => UpstreamError;
  readonly broken: (head: HttpHead, error: unknown) => UpstreamError;
  /** An error in the form of this wire. */
  readonly write: (word: string, message: string) => object;
}

const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: {
    refused: refusedByAnthropic,
    broken: brokenByAnthropic,
    write: (type, message) => ({ type: "error", error: { type, message } }),
  },
  gemini: {
    refused: refusedByGemini,
    broken: brokenByGemini,
    write: (status, message) => ({ error: { status, message } }),
  },
  openai: {
    refused: refusedByOpenAi,
    broken: brokenByOpenAi,
    write: (code, message) => ({ error: { code, message, type: null, param: null } }),
  },
  "openai-compatible": {
    refused: refusedByChat,
    broken: brokenByChat,
    write: (type, message) => ({ error: { type, message } }),
  },
};

const head = (status: number) => sampleHead({ status });

/** Status, word (null: the body is the bare message), message, failure. */
const ROWS: readonly (readonly [number, string | null, string, UpstreamErrorCode])[] = [
  [503, "overloaded_error", "Overloaded", "provider_overloaded"],
  [503, "server_is_overloaded", "m", "provider_overloaded"],
  [503, "engine_overloaded_error", "m", "provider_overloaded"],
  [503, "slow_down", "m", "provider_overloaded"],
  [503, "UNAVAILABLE", "m", "provider_overloaded"],
  [503, "x", "The engine is currently overloaded, please try again later", "provider_overloaded"],
  [503, "x", "This model is currently experiencing high demand.", "provider_overloaded"],
  [503, "x", "Slow down", "provider_overloaded"],
  [503, null, "upstream overloaded", "provider_overloaded"],
  [503, "x", "The server is down", "provider_unavailable"],
  [503, "service_unavailable_error", "m", "provider_unavailable"],
  [503, null, "no healthy upstream", "provider_unavailable"],
  [503, null, "<html>503 Service Temporarily Unavailable</html>", "provider_unavailable"],
  [503, null, "", "provider_unavailable"],
  [529, "x", "m", "provider_overloaded"],
  [529, null, "", "provider_overloaded"],
  [500, "overloaded_error", "m", "provider_overloaded"],
  // Except with a 503, a message decides nothing: it may repeat a prompt.
  [500, "x", "overloaded", "provider_unavailable"],
  [400, "x", "overloaded", "provider_client_error"],
];

for (const [name, { refused, broken, write }] of Object.entries(WIRES)) {
  for (const [status, word, message, code] of ROWS) {
    test(`${name}: ${status} ${word ?? "as bare text"} "${message}" is ${code}`, () => {
      const body = word === null ? message : JSON.stringify(write(word, message));
      const failure = refused({ head: head(status), body, model: sampleModel() });
      assert.equal(failure.code, code);
      // By docs/wire.md (Provider retries) the status decides, overloaded or not.
      assert.equal(failure.certainlyNotRun, status === 503);
    });
  }

  test(`${name}: within a stream an error word for overload is provider_overloaded, a message decides nothing`, () => {
    for (const word of ["overloaded_error", "model_overloaded", "slow_down"]) {
      const failure = broken(head(200), write(word, "m"));
      assert.deepEqual([failure.code, failure.certainlyNotRun], ["provider_overloaded", false], word);
    }
    const failure = broken(head(200), write("x", "overloaded"));
    assert.equal(failure.code, "provider_error");
  });
}

test("within a stream the first known error word decides, overloaded or not", () => {
  const error = { code: "server_is_overloaded", type: "service_unavailable_error", message: "m" };
  for (const broken of [brokenByOpenAi, brokenByChat]) {
    assert.equal(broken(head(200), { error }).code, "provider_overloaded");
  }
});

test("an error within a stream that names a 503 is treated like a 503", () => {
  const rows: readonly (readonly [object, UpstreamErrorCode])[] = [
    [{ code: 503, message: "The model is overloaded" }, "provider_overloaded"],
    [{ code: 503, message: "Loading model" }, "provider_unavailable"],
    [{ code: 529, message: "m" }, "provider_overloaded"],
  ];
  for (const [error, code] of rows) {
    for (const broken of [brokenByChat, brokenByGemini]) {
      assert.equal(broken(head(200), { error }).code, code);
    }
  }
});
