// Errors as the official client shows them.
import assert from "node:assert/strict";
import { APIError } from "openai";

type ErrorClass = new (...given: never[]) => APIError;

interface Expected {
  readonly class: ErrorClass;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string;
}

/** An error as the client shows it: its class, status, code, type, param, and the request id. */
export async function assertApiError(promise: Promise<unknown>, expected: Expected): Promise<APIError> {
  const error = await promise.then(
    () => assert.fail("was not rejected"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof expected.class, String(error));
  const { status, code, type, param = null } = expected;
  assert.deepEqual(
    { status: error.status, code: error.code, type: error.type, param: error.param ?? null },
    { status, code, type, param },
  );
  assert.match(error.requestID ?? "", /^req_/);
  assert.match(error.message, new RegExp(`^${status} \\S`));
  return error;
}
